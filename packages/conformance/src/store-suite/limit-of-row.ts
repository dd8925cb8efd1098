import {
  concurrency,
  fixedWindow,
  type Limit,
  leakyBucket,
  SluiceError,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
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
