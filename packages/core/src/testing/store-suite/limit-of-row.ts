import { leakyBucket } from '../../algorithms/buckets/leaky.js';
import { tokenBucket } from '../../algorithms/buckets/token.js';
import { concurrency } from '../../algorithms/concurrency.js';
import { fixedWindow } from '../../algorithms/fixed-window.js';
import { slidingWindowLog } from '../../algorithms/sliding/log.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import { slidingWindowCounter } from '../../algorithms/sliding-window-counter.js';
import { SluiceError } from '../../values/error.js';
import type { Limit } from '../../values/limit.js';
import type { LimitRow } from '../vectors.js';

/** By the names that vectors give them. */
const CONSTRUCTORS: Readonly<Record<string, (options: never) => Limit>> = {
  concurrency,
  fixedWindow,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
};

/**
 * Makes the limit that a row of a vector describes.
 *
 * @throws SluiceError `SLUICE_OPTION` if the row names no constructor
 */
export function limitOf([name, options]: LimitRow): Limit {
  const make = CONSTRUCTORS[name];
  if (!make) throw new SluiceError('SLUICE_OPTION', `a vector names an unknown constructor: ${name}`);
  return make(options as never);
}
