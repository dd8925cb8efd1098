import { checkLimit } from '../../algorithms/check-limit.js';
import { ALGORITHMS } from '../../algorithms/definitions.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import { type Duration, durationMs, durationText } from '../../values/duration.js';
import { optionError } from '../../values/error.js';
import { whenReady } from '../../values/eventual.js';
import { checkExact, isLimit, type Limit } from '../../values/limit.js';
import { at, checkWhole } from '../../values/option-checks.js';
import type { Args, LimitItem, Resolvable, Resolver } from './options.js';

/**
 * The limit of an item: a Limit, or the function that chooses one (a tier). Numbers are for the default algorithm in
 * this window.
 */
export function limitOf<A extends Args>({ limit, window }: LimitItem<A>, path: string): Resolvable<A, Limit> {
  const where = at(path, 'limit');
  if (window !== undefined) {
    durationMs(window, at(path, 'window'));
    if (isLimit(limit)) throw optionError(at(path, 'window'), 'cannot stand beside a Limit, which has its own', window);
    if (typeof limit !== 'function') return windowed(limit, window, where);
    return numberTier(limit as Resolver<A, number>, window, where);
  }
  if (typeof limit === 'function') return limitTier(limit as Resolver<A, Limit>, where);
  if (isLimit(limit)) return checkLimit(limit, where);
  const suggestion =
    typeof limit === 'number'
      ? 'needs a window beside it'
      : 'must be a number with a window, a Limit, or a function of either';
  throw optionError(where, suggestion, limit);
}

/** A number for the default algorithm, checked under the path where the user wrote it. */
function windowed(limit: unknown, window: Duration, path: string): Limit {
  const quota = checkWhole(limit, path);
  checkExact(quota, path);
  return slidingWindow({ limit: quota, window });
}

function limitTier<A extends Args>(tier: Resolver<A, Limit>, path: string): Resolver<A, Limit> {
  const where = `${path}()`;
  const check = (limit: unknown): Limit => {
    if (typeof limit !== 'number') return checkLimit(limit, where);
    throw optionError(where, 'is a number, and needs a window beside the function', limit);
  };
  return (...args) => whenReady(tier(...args), check) as Limit | Promise<Limit>;
}

/** Numbers whose limits are kept: more than any price list has, few enough to weigh nothing. */
const MOST_NUMBERS = 4096;

/** Limits are made once for each number, so that a tier costs no checking per request. */
function numberTier<A extends Args>(tier: Resolver<A, number>, window: Duration, path: string): Resolver<A, Limit> {
  const made = new Map<number, Limit>();
  const limitFor = (limit: number): Limit => {
    let found = made.get(limit);
    if (!found) {
      found = windowed(limit, window, `${path}()`);
      if (made.size >= MOST_NUMBERS) made.clear();
      made.set(limit, found);
    }
    return found;
  };
  return (...args) => whenReady(tier(...args), limitFor) as Limit | Promise<Limit>;
}

/** The name of a limit that nobody named. */
export function defaultName<A extends Args>(limit: Resolvable<A, Limit>, window: Duration | undefined): string {
  if (window !== undefined) return `per-${durationText(durationMs(window, 'window'))}`;
  if (typeof limit === 'function') return 'tier';
  return ALGORITHMS[limit.algorithm]?.defaultName(limit) ?? limit.algorithm;
}
