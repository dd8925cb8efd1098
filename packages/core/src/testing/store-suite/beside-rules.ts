import assert from 'node:assert/strict';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import { createLimiter } from '../../limiter/limiter.js';
import type { Store } from '../../stores/store.js';
import type { Bench } from './bench.js';

/** Tests about a store, and another one that counts in the same place, by the sentence that they prove. */
export type BesideRules = Readonly<Record<string, (bench: Bench, other: Store) => Promise<void>>>;

const limit = slidingWindow({ limit: 9, window: '1m' });

/** What two stores that count in one place have in common. */
export const besideRules: BesideRules = {
  async 'share their counters'(bench, other) {
    const check = bench.check(limit, { cost: 9 });
    assert.equal((await bench.consume(check)).allowed, true);
    assert.equal((await other.consume({ checks: [check] })).allowed, false);
  },

  async 'take a policy name from one options object alone'({ store, refusesWith }, other) {
    createLimiter({ limit, name: 'api', store });
    await refusesWith('SLUICE_DUPLICATE_NAME', () => createLimiter({ limit, name: 'api', store: other }));
    createLimiter({ limit, name: 'login', store: other });
    await refusesWith('SLUICE_DUPLICATE_NAME', () => createLimiter({ limit, name: 'login', store }));
  },

  async 'share the counters of one options object'({ store }, other) {
    const options = { limit, name: 'api', store };
    const one = createLimiter(options);
    options.store = other;
    const another = createLimiter(options);
    assert.equal((await one.consume('ann', { cost: 9 })).allowed, true);
    assert.equal((await another.consume('ann')).allowed, false);
  },

  async 'have a name each for itself: the one that is closed frees its own'({ store, refusesWith }, other) {
    const shared = { limit, name: 'shared', store };
    createLimiter(shared);
    shared.store = other;
    createLimiter(shared);
    createLimiter({ limit, name: 'own', store: other });
    await other.close();
    createLimiter({ limit, name: 'own', store });
    await refusesWith('SLUICE_DUPLICATE_NAME', () => createLimiter({ limit, name: 'shared', store }));
  },
};
