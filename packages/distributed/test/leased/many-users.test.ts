import { expect, it } from '@jest/globals';
import { type LimitCheck, type Store, slidingWindow } from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';
import { check, SharedStore } from './shared-store.js';

const USERS = 8000;
const MILLION = slidingWindow({ limit: 1_000_000, window: '1m' });
const everyone = check(MILLION, { name: 'all', key: 'everyone' });

const USER_ALONE = (user: LimitCheck): readonly LimitCheck[] => [user];
const ORDERS: Readonly<Record<string, (user: LimitCheck) => readonly LimitCheck[]>> = {
  'everyone first': (user) => [everyone, user],
  'the user first': (user) => [user, everyone],
};

/** The processor time of this process. A busy machine lengthens it less than the time of day. */
async function busyMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Measures a request of each user, a reset of one user, and the end of all leases. */
async function timesOf(
  storeOver: (shared: SharedStore) => Store<true>,
  checksOf: (user: LimitCheck) => readonly LimitCheck[],
) {
  const shared = new SharedStore();
  const store = storeOver(shared);
  const users = Array.from({ length: USERS }, (_, i) => check(MILLION, { key: `user-${i}` }));
  const servedMs = await busyMs(async () => {
    for (const user of users) await store.consume({ checks: checksOf(user) });
  });
  const resetMs = await busyMs(() => store.reset([check(MILLION, { key: 'user-7' })]));
  const endedMs = await busyMs(async () => {
    shared.clock.advance('1s');
    for (let i = 0; i < 3; i += 1) await new Promise(setImmediate);
  });
  await store.close();
  return { servedMs, resetMs, endedMs };
}

// A search among all users for each of them takes hundreds of times as long as one user after the other, who
// is served without a second limit: that is the measure, since machines differ by more than ten times.
it.each([
  ['A leased store', (store: SharedStore) => new LeasedStore({ busyFrom: 1, store })],
  ['A store that counts here', (store: SharedStore) => new SyncedStore({ busyFrom: 1, store })],
] as const)(
  '%s serves very many users without a stall, also with a limit for everyone',
  async (_, storeOver) => {
    const { servedMs: aloneMs } = await timesOf(storeOver, USER_ALONE);
    for (const [order, checksOf] of Object.entries(ORDERS)) {
      const { servedMs, resetMs, endedMs } = await timesOf(storeOver, checksOf);
      const isQuick = { served: servedMs < 10 * aloneMs, reset: resetMs < aloneMs / 10, ended: endedMs < 5 * aloneMs };
      expect({ order, ...isQuick, aloneMs, servedMs, resetMs, endedMs }).toMatchObject({
        order,
        served: true,
        reset: true,
        ended: true,
      });
    }
  },
  120_000,
);
