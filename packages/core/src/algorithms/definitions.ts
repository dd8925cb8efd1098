// Why it is so: docs/why/one-arithmetic.md

import { SluiceError, show } from '../values/error.js';
import type { Limit } from '../values/limit.js';
import { leakyBucketDefinition } from './buckets/leaky.js';
import { tokenBucketDefinition } from './buckets/token.js';
import { concurrencyDefinition } from './concurrency.js';
import type { Algorithm, AlgorithmDefinition } from './definition.js';
import { fixedWindowDefinition } from './fixed-window.js';
import { slidingWindowLogDefinition } from './sliding/log.js';
import { slidingWindowDefinition } from './sliding/window.js';
import { slidingWindowCounterDefinition } from './sliding-window-counter.js';

/** A mapped type: if an algorithm has no definition, or that of another algorithm, the code does not compile. */
type Definitions = { readonly [A in Algorithm]: AlgorithmDefinition<A> };

const BY_NAME: Definitions = {
  'sliding-window': slidingWindowDefinition,
  'sliding-window-log': slidingWindowLogDefinition,
  'sliding-window-counter': slidingWindowCounterDefinition,
  'fixed-window': fixedWindowDefinition,
  'token-bucket': tokenBucketDefinition,
  'leaky-bucket': leakyBucketDefinition,
  concurrency: concurrencyDefinition,
};

/** The definition of each algorithm, by its name; undefined for `unlimited`. */
export const ALGORITHMS: Definitions & { readonly unlimited?: undefined } = BY_NAME;

/** The definitions of all algorithms. */
export const DEFINITIONS: readonly AlgorithmDefinition[] = Object.values(BY_NAME);

/** Whether an algorithm of this name is defined. A limit can come from JSON. */
export function isAlgorithm(name: string): name is Algorithm {
  return Object.hasOwn(BY_NAME, name);
}

/**
 * Returns the definition of a limit's algorithm.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED` if no store counts such a limit
 */
export function definitionOf({ algorithm }: Limit): AlgorithmDefinition {
  if (isAlgorithm(algorithm)) return ALGORITHMS[algorithm];
  throw new SluiceError('SLUICE_UNSUPPORTED', `no store supports the algorithm ${show(algorithm)}`);
}
