import { createLimiter, policyMetrics, storeMetrics, subscribe } from '@sluice/core';
import { costOf, costTable, decisionsOf, keep } from '../decision-costs.js';
import { freshKey } from '../fresh-key.js';
import type { Scale } from '../scale.js';
import type { Table } from '../table.js';

const UNREACHED = 1_000_000_000;

/** So often are counters read, far more often than anybody scrapes. */
const DECISIONS_PER_READING = 1_000;

/** What it costs a decision that counters are read, and that somebody listens. */
export function watchedDecisions(scale: Scale): Promise<Table> {
  const limiter = createLimiter({ name: 'hot', limit: UNREACHED, window: '1h' });
  const hot = freshKey(0);
  const keys = Array.from({ length: decisionsOf(scale) }, () => hot);
  const costOfAll = (): number => costOf(keys, (key) => limiter.consume(key));
  const listening = (listener: Parameters<typeof subscribe<'sluice:decision'>>[1]) => () => {
    const stop = subscribe('sluice:decision', listener);
    const cost = costOfAll();
    stop();
    return cost;
  };
  let asked = 0;
  const subjects = {
    'nobody reads': costOfAll,
    'counters are read after each 1,000 decisions': () =>
      costOf(keys, (key) => {
        asked += 1;
        if (asked % DECISIONS_PER_READING === 0) keep([policyMetrics(), storeMetrics()]);
        return limiter.consume(key);
      }),
    'a listener that does not read keys': listening(({ decision }) => keep(decision.allowed)),
    'a listener that reads keys': listening(({ keys: hashed }) => keep(hashed)),
  };
  return costTable('One hot key, allowed', subjects, scale);
}
