import { slidingWindow } from '@sluice/core';
import type { Rules } from './store-fixture.js';

/** Closing a store. */
export const closingRules: Rules = {
  async 'refuses every call after it was closed, and can be closed twice'(fixture) {
    const check = fixture.check(slidingWindow({ limit: 5, window: '1m' }));
    await fixture.consume(check);
    await fixture.store.close();
    await fixture.refusesWith('SLUICE_CLOSED', () => fixture.store.consume({ checks: [check] }));
    await fixture.refusesWith('SLUICE_CLOSED', () => fixture.store.consume({ checks: [check], peek: true }));
    await fixture.refusesWith('SLUICE_CLOSED', () => fixture.store.adjust({ checks: [{ ...check, cost: -1 }] }));
    await fixture.refusesWith('SLUICE_CLOSED', () => fixture.store.reset([check]));
    await fixture.store.close();
  },
};
