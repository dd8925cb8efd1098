import { checkCountableLimit } from '../../algorithms/check-limit.js';
import { ALGORITHMS } from '../../algorithms/definitions.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import { windowLength } from '../../algorithms/window.js';
import { type Duration, durationMs, durationText } from '../../values/duration.js';
import { optionError } from '../../values/error.js';
import { whenReady } from '../../values/eventual.js';
import { checkExact, isLimit, type Limit } from '../../values/limit.js';
import { at, checkWhole } from '../../values/option-checks.js';
import type { Args, LimitItem, Resolvable, Resolver } from './options.js';

/**
 * Returns the limit of an item: a Limit, or the function that chooses one (a tier). A number stands for the default
 * algorithm with this window.
 */
export function limitOf<A extends Args>({ limit, window }: LimitItem<A>, path: string): Resolvable<A, Limit> {
  const where = at(path, 'limit');
  if (window !== undefined) {
    windowLength(window, at(path, 'window'));
    if (isLimit(limit))
      throw optionError(at(path, 'window'), 'must be left out beside a Limit, which has its own', window);
    if (typeof limit !== 'function') return windowed(limit, window, where);
    return numberTier(limit as Resolver<A, number>, window, where);
  }
  if (typeof limit === 'function') return limitTier(limit as Resolver<A, Limit>, where);
  if (isLimit(limit)) return checkCountableLimit(limit, where);
  const suggestion =
    typeof limit === 'number'
      ? 'needs the option window'
      : 'must be a number with a window, a Limit, or a function of either';
  throw optionError(where, suggestion, limit);
}

/** Makes a limit of the default algorithm from a number. Errors name the path in the user's options. */
function windowed(limit: unknown, window: Duration, path: string): Limit {
  const quota = checkWhole(limit, path);
  checkExact(quota, path);
  return slidingWindow({ limit: quota, window });
}

function limitTier<A extends Args>(tier: Resolver<A, Limit>, path: string): Resolver<A, Limit> {
  const where = `${path}()`;
  const check = (limit: unknown): Limit => {
    if (typeof limit !== 'number') return checkCountableLimit(limit, where);
    throw optionError(where, 'must be a Limit if there is no option window', limit);
  };
  return (...args) => whenReady(tier(...args), check) as Limit | Promise<Limit>;
}

/** How many limits of a tier are kept: more than any price list has, and still little memory. */
const MOST_NUMBERS = 4096;

/** Makes the limit for each number once, so that a tier needs no checks per request. */
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

/** Returns the name of a limit without a name. */
export function defaultName<A extends Args>(limit: Resolvable<A, Limit>, window: Duration | undefined): string {
  if (window !== undefined) return `per-${durationText(durationMs(window, 'window'))}`;
  if (typeof limit === 'function') return 'tier';
  return ALGORITHMS[limit.algorithm]?.defaultName(limit) ?? limit.algorithm;
}
