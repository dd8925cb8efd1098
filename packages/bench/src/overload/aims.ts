import { ms, percent } from './figures.js';
import { HANDLERS, type HandlerName } from './handlers.js';
import { PATIENCE_MS } from './outcome.js';
import { isOf, kept, type Results, type Row } from './results.js';

/** What shedLoad should do for all frameworks at three times the load. */
export interface Aim {
  /** With the figure of the framework that came nearest to missing it. */
  readonly text: string;
  readonly isReached: boolean;
  /** Whether it is so far from reached that the run fails, because no noise of the machine explains it. */
  readonly isFarOff: boolean;
}

/** Says how nearly shedLoad does what it should, without and with a quota. */
export function aimsOf(results: Results): Aim[] {
  return [false, true].flatMap((isHeld) =>
    (Object.keys(HANDLERS) as HandlerName[]).flatMap((handler) => {
      const rows = results.rows.filter(isOf(handler, isHeld)).filter(({ protection }) => protection === 'shedLoad');
      return rows.length > 0 ? aimsOfRows(`${handler}${isHeld ? ', with a quota' : ''}`, rows, results) : [];
    }),
  );
}

function aimsOfRows(name: string, rows: readonly Row[], results: Results): Aim[] {
  const leastKept = Math.min(...rows.map((row) => kept(row, results.rows)));
  const leastCritical = Math.min(...rows.map(({ thrice }) => thrice.goodOf.critical));
  const mostP99Ms = Math.max(...rows.map(({ thrice }) => thrice.p99Ms ?? PATIENCE_MS));
  return [
    {
      text: `${name}: ${percent(leastKept)} of what it gets at its capacity (aim: at least 80 %)`,
      isReached: leastKept >= 0.8,
      isFarOff: leastKept < 0.4,
    },
    {
      text: `${name}: ${percent(leastCritical)} of the critical requests (aim: at least 90 %)`,
      isReached: leastCritical >= 0.9,
      isFarOff: leastCritical < 0.5,
    },
    {
      text: `${name}: p99 of the admitted ${ms(mostP99Ms)} (aim: at most 200 ms)`,
      isReached: mostP99Ms <= 200,
      isFarOff: mostP99Ms >= PATIENCE_MS,
    },
  ];
}
