import { slidingWindow } from '../../algorithms/sliding/window.js';
import type { Rules } from './bench.js';

/** The end of a store. */
export const closingRules: Rules = {
  async 'refuses every further call once closed, and may be closed twice'(bench) {
    const check = bench.check(slidingWindow({ limit: 5, window: '1m' }));
    await bench.consume(check);
    await bench.store.close();
    await bench.refusesWith('SLUICE_CLOSED', () => bench.store.consume({ checks: [check] }));
    await bench.refusesWith('SLUICE_CLOSED', () => bench.store.consume({ checks: [check], peek: true }));
    await bench.refusesWith('SLUICE_CLOSED', () => bench.store.adjust({ checks: [{ ...check, cost: -1 }] }));
    await bench.refusesWith('SLUICE_CLOSED', () => bench.store.reset([check]));
    await bench.store.close();
  },
};
