import { createLimiter, type Store, slidingWindow } from '@sluice/core';
import * as assert from '../assert.js';
import type { StoreFixture } from './store-fixture.js';

/** Tests of a store and another one that counts in the same place, by their titles. */
export type BesideRules = Readonly<Record<string, (fixture: StoreFixture, other: Store) => Promise<void>>>;

const limit = slidingWindow({ limit: 9, window: '1m' });

/** Two stores that count in one place. */
export const besideRules: BesideRules = {
  async 'share their counters'(fixture, other) {
    const check = fixture.check(limit, { cost: 9 });
    assert.equal((await fixture.consume(check)).allowed, true);
    assert.equal((await other.consume({ checks: [check] })).allowed, false);
  },

  async 'accept a policy name from one options object only'({ store, refusesWith }, other) {
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

  async 'claim names separately: a closed store frees its own names'({ store, refusesWith }, other) {
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
