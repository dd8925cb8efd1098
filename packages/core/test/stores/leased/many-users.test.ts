import { expect, it } from '@jest/globals';
import { type Check, LeasedStore, type Store, SyncedStore, slidingWindow } from '../../../src/index.js';
import { check, SharedStore } from './shared-store.js';

const USERS = 20_000;
const MILLION = slidingWindow({ limit: 1_000_000, window: '1m' });
const everyone = check(MILLION, { name: 'all', key: 'everyone' });

const ORDERS: Readonly<Record<string, (user: Check) => readonly Check[]>> = {
  'everyone first': (user) => [everyone, user],
  'the user first': (user) => [user, everyone],
};

/** Processor time of this process: a busy machine does not lengthen it much, as it does the time of day. */
async function busyMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** What it takes to serve a request of each user, to reset one of them, and to end the leases of all. */
async function timesOf(storeOver: (shared: SharedStore) => Store<true>, order: string) {
  const shared = new SharedStore();
  const store = storeOver(shared);
  const users = Array.from({ length: USERS }, (_, i) => check(MILLION, { key: `user-${i}` }));
  const checksOf = ORDERS[order] as (typeof ORDERS)[string];
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

// With a search among all users for each of them, the first two take longer by hundreds of times.
it.each([
  ['A leased store', (store: SharedStore) => new LeasedStore({ store })],
  ['A store that counts here', (store: SharedStore) => new SyncedStore({ store })],
] as const)(
  '%s serves 20,000 users without a stall, also beside a limit for everyone',
  async (_, storeOver) => {
    for (const order of Object.keys(ORDERS)) {
      const { servedMs, resetMs, endedMs } = await timesOf(storeOver, order);
      expect({ order, isQuick: endedMs < 1500, endedMs }).toMatchObject({ order, isQuick: true });
      expect({ order, isQuick: servedMs < 10_000, servedMs }).toMatchObject({ order, isQuick: true });
      expect({ order, isQuick: resetMs < 50, resetMs }).toMatchObject({ order, isQuick: true });
    }
  },
  120_000,
);
