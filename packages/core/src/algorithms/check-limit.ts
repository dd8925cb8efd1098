import { optionError } from '../values/error.js';
import { isLimit, type Limit, unlimited } from '../values/limit.js';
import { at, checkWhole } from '../values/option-checks.js';
import { definitionOf, isAlgorithm } from './definitions.js';

/** Limits that were found good, so that asking about one again costs no checking. */
const checked = new WeakSet<Limit>([unlimited()]);

/**
 * Checks that a limit has the numbers which its algorithm needs. Most limits come from their constructors; some come
 * back from JSON or were written by hand, and a tier may answer anything. A number that is missing would be a time that
 * never comes, and one that is too large would be counted wrong.
 *
 * @param path - where it stands: `limits[1]`.
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkLimit(limit: unknown, path: string): Limit {
  if (isLimit(limit) && checked.has(limit)) return limit;
  if (!isLimit(limit) || !(limit.algorithm === 'unlimited' || isAlgorithm(limit.algorithm))) {
    throw optionError(path, 'must be a Limit, made by slidingWindow(), unlimited() or their like', limit);
  }
  checkWhole(limit.quota, at(path, 'quota'));
  if (limit.algorithm !== 'unlimited') {
    const definition = definitionOf(limit);
    for (const [name, least] of definition.numbers(limit)) checkWhole(limit[name], at(path, name), least);
    checkWhole(limit.quota, at(path, 'quota'), 0, definition.largestQuota(limit));
  }
  checked.add(limit);
  return limit;
}
