import { describe, expect, it } from '@jest/globals';
import { type Store, slidingWindow } from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';
import { protectStore } from '@sluice/core/store';
import { check, SharedStore } from './leased/shared-store.js';

const LIMIT = slidingWindow({ limit: 1000, window: '1m' });

/** The store of one of so many instances, whose draws are all the same. */
function sharedBy(instances: number, draw: number): SharedStore {
  const remote: NonNullable<Store['remote']> = {
    timeoutMs: 1000,
    instances,
    random: () => draw,
    protect: protectStore,
  };
  return Object.assign(new SharedStore(), { remote });
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 5; i += 1) await new Promise(setImmediate);
};

describe.each([
  ['is alone', 1, 0.9, 1000],
  ['draws 0', 200, 0, 1000],
  ['draws 0.5', 200, 0.5, 950],
  ['draws nearly 1', 200, 0.999, 901],
])('An instance that %s', (_, instances, draw, endMs) => {
  it('spends its slice for so long, and no longer', async () => {
    const shared = sharedBy(instances, draw);
    const store = new LeasedStore({ store: shared, lease: '1s', busyFrom: 1 });
    const ask = async () => store.consume({ checks: [check(LIMIT)] });
    // Slices grow, so that units are left.
    for (let i = 0; i < 4; i += 1) await ask();
    const taken = shared.asks.length;
    shared.clock.advance(endMs - 1);
    await ask();
    expect(shared.asks).toHaveLength(taken);
    shared.clock.advance(1);
    await ask();
    expect(shared.asks).toHaveLength(taken + 1);
    await store.close();
  });

  it('synchronizes after so long', async () => {
    const shared = sharedBy(instances, draw);
    const store = new SyncedStore({ store: shared, sync: '1s', busyFrom: 1 });
    for (let i = 0; i < 3; i += 1) await store.consume({ checks: [check(LIMIT)] });
    shared.clock.advance(endMs - 1);
    await turns();
    expect(shared.changes).toHaveLength(0);
    shared.clock.advance(1);
    await turns();
    expect(shared.changes).toHaveLength(1);
    await store.close();
  });
});
