import { createLimiter, type Store, type StoreMetrics, storeMetrics } from '@sluice/core';
import { usesSlots } from '@sluice/core/values';
import * as assert from '../assert.js';
import type { Rules } from './store-fixture.js';

/** What a store has done. */
export const countingRules: Rules = {
  async 'has its calls over a network counted under its name'({ store, limits }) {
    if (!store.remote || store.selfProtection) return;
    const [, limit] = limits.find(([, own]) => !usesSlots(own) && !own.calendar) ?? [];
    if (!limit) return;
    const before = callsOf(store);
    const limiter = createLimiter({ name: 'counted', limit, store });
    for (const subject of ['ann', 'bob', 'cy']) await limiter.consume(subject);
    await limiter.peek('ann');
    await limiter.charge('ann');
    await limiter.reset('bob');
    assert.deepEqual(
      callsOf(store).map((calls, i) => calls - (before[i] as number)),
      [4, 1, 1],
      'the calls of consume, adjust and reset',
    );
  },
};

function callsOf({ name = 'store' }: Store): readonly number[] {
  const counters = storeMetrics().find(({ store }) => store === name);
  const { consume, adjust, reset } = counters?.operations ?? ({} as Partial<StoreMetrics['operations']>);
  return [consume, adjust, reset].map((operation) => operation?.counts.reduce((sum, calls) => sum + calls) ?? 0);
}
