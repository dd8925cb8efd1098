import type { Check } from '../stores/store.js';
import { type Eventual, recover, whenReady } from '../values/eventual.js';
import type { Limit } from '../values/limit.js';
import { warnOfFailure } from '../values/warning.js';
import { type Elastic, type Margins, PRIORITIES, type Priority } from './policy/margin.js';
import type { Args } from './policy/options.js';
import type { Policy } from './policy/parse.js';

/** A check whose margin is a part of its limit, so that a share of the limit has its share of the margin. */
interface MarginedCheck extends Check {
  readonly marginRatio: number;
}

/** The check with the margin that a request of this priority has; the same check where it has none. */
export function withMargin(check: Check, margins: Margins, priority: Priority): Check {
  const ratio = ratioOf(check.limit, margins, priority);
  const margin = marginOf(check.limit, ratio);
  if (margin === 0) return check;
  const margined: MarginedCheck = { ...check, margin, marginRatio: ratio };
  return margined;
}

/** What a check by a share of its limit has of its margin. */
export function shareOfMargin(check: Check, share: Limit): Pick<Check, 'margin'> {
  if (check.margin === undefined) return {};
  const ratio = 'marginRatio' in check ? (check as MarginedCheck).marginRatio : check.margin / check.limit.quota;
  return { margin: marginOf(share, ratio) };
}

/** A part of a limit in whole units: what is below a millionth of a unit is an error of the arithmetic, not a part. */
export function marginOf({ quota }: Limit, ratio: number): number {
  return Math.max(-quota, Math.min(quota, Math.floor(Math.round(quota * ratio * 1e6) / 1e6)));
}

function ratioOf(limit: Limit, { tolerance, elastic, headroom }: Margins, priority: Priority): number {
  if (limit.algorithm === 'unlimited') return 0;
  const kept = headroom?.[priority] ?? 0;
  if (kept > 0) return 0 - kept;
  if (elastic === undefined) return tolerance;
  return isCalm(elastic.while) && limit.quota > 0 ? elastic.upTo / limit.quota - 1 : 0;
}

/** Policies and signals whose function has failed, which is told once of each. */
const failed = new WeakSet<object>();

/** The priority of a request: the lowest where the policy's function fails, `'normal'` where there is none. */
export function priorityOf<A extends Args>({ name, priority }: Policy<A>, args: A): Eventual<Priority> {
  if (priority === undefined) return 'normal';
  const known = (answer: unknown): Priority => {
    const found = PRIORITIES.find((one) => one === answer);
    if (found === undefined) throw new TypeError(`a priority must be one of ${PRIORITIES.join(', ')}`);
    return found;
  };
  return recover<Priority>(
    () => whenReady(priority(...args), known),
    (error) => {
      if (!failed.has(priority)) {
        failed.add(priority);
        warnOfFailure(`priority of the policy ${JSON.stringify(name)}`, 'so the request has the lowest', error);
      }
      return 'low';
    },
  );
}

function isCalm(signal: Elastic['while']): boolean {
  try {
    return signal.isCalm === true;
  } catch (error) {
    if (!failed.has(signal)) {
      failed.add(signal);
      warnOfFailure('the signal of an elastic limit', 'so the load counts as not calm', error);
    }
    return false;
  }
}
