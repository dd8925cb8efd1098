// Why it is so: docs/why/margins-and-guarantees.md

import type { LimitCheck } from '../stores/store.js';
import { type Eventual, recover, whenReady } from '../values/eventual.js';
import type { Limit } from '../values/limit.js';
import { PRIORITIES, type Priority } from '../values/priority.js';
import { warnOfFailure } from '../values/warning.js';
import type { Elastic, Margins } from './policy/margin.js';
import type { Args } from './policy/options.js';
import type { Policy } from './policy/parse.js';

/** A check whose margin is given as a part of its limit, so that a share of the limit has its share of the margin. */
interface MarginedCheck extends LimitCheck {
  readonly marginRatio: number;
}

/** Returns the check with the margin of a request with this priority; the same check if there is none. */
export function withMargin(check: LimitCheck, margins: Margins, priority: Priority): LimitCheck {
  const ratio = ratioOf(check.limit, margins, priority);
  const margin = marginOf(check.limit, ratio);
  if (margin === 0) return check;
  const margined: MarginedCheck = { margin, marginRatio: ratio, ...check };
  return margined;
}

/** Returns the margin of a check that uses a share of its limit. */
export function shareOfMargin(check: LimitCheck, share: Limit): Pick<LimitCheck, 'margin'> {
  if (check.margin === undefined) return {};
  const ratio = 'marginRatio' in check ? (check as MarginedCheck).marginRatio : check.margin / check.limit.quota;
  return { margin: marginOf(share, ratio) };
}

/**
 * Returns a part of a limit in whole units. A difference below a millionth of a unit is a rounding error, and is
 * ignored.
 */
function marginOf({ quota }: Limit, ratio: number): number {
  return Math.max(-quota, Math.min(quota, Math.floor(Math.round(quota * ratio * 1e6) / 1e6)));
}

function ratioOf(limit: Limit, { tolerance, elastic, headroom }: Margins, priority: Priority): number {
  if (limit.algorithm === 'unlimited') return 0;
  const kept = headroom?.[priority] ?? 0;
  if (kept > 0) return 0 - kept;
  if (elastic === undefined) return tolerance;
  return isCalm(elastic.while) && limit.quota > 0 ? elastic.upTo / limit.quota - 1 : 0;
}

/** Policies and signals whose function has failed. Each is reported once. */
const failed = new WeakSet<object>();

/**
 * Returns the priority of a request. It is the lowest if the policy's function fails, and `'normal'` if there is none.
 */
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
