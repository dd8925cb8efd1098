import { figure } from '../table.js';
import { HANDLERS, type HandlerName } from './handlers.js';
import { isOf, kept, type Results, type Row } from './results.js';

/** A promise of shedLoad for all frameworks, at three times the load. */
export interface Aim {
  /** With the figure of the framework that came nearest to missing it. */
  readonly text: string;
  readonly isReached: boolean;
  /** Whether a run fails that misses it. */
  readonly isRequired: boolean;
}

/** What a run must reach, which leaves room for a noisy machine, and what it should. */
const KEPT = { required: 0.6, wished: 0.8 };
const CRITICAL = { required: 0.6, wished: 0.9 };
const P99_MS = { required: 400, wished: 200 };

/** Says how nearly shedLoad does what it should, without and with a quota. */
export function aimsOf(results: Results): Aim[] {
  return [false, true].flatMap((isHeld) =>
    (Object.keys(HANDLERS) as HandlerName[]).flatMap((handler) => {
      const rows = results.rows.filter(isOf(handler, isHeld)).filter(({ protection }) => protection === 'shedLoad');
      return rows.length > 0 ? aimsOfRows(`${handler}${isHeld ? ', held' : ''}`, rows, results) : [];
    }),
  );
}

function aimsOfRows(name: string, rows: readonly Row[], results: Results): Aim[] {
  const leastKept = Math.min(...rows.map((row) => kept(row, results.rows)));
  const leastCritical = Math.min(...rows.map(({ thrice }) => thrice.goodOf.critical));
  const mostP99Ms = Math.max(...rows.map(({ thrice }) => thrice.p99Ms));
  const part = (value: number): string => `${figure(100 * value)} %`;
  const aim = (text: string, isReached: boolean, isRequired: boolean): Aim => ({
    text: `${name}: ${text}`,
    isReached,
    isRequired,
  });
  return [false, true].flatMap((isRequired) => {
    const level = isRequired ? 'required' : 'wished';
    return [
      aim(`${part(leastKept)} kept, at least ${part(KEPT[level])}`, leastKept >= KEPT[level], isRequired),
      aim(
        `${part(leastCritical)} of critical, at least ${part(CRITICAL[level])}`,
        leastCritical >= CRITICAL[level],
        isRequired,
      ),
      aim(`p99 ${Math.round(mostP99Ms)} ms, at most ${P99_MS[level]} ms`, mostP99Ms <= P99_MS[level], isRequired),
    ];
  });
}
