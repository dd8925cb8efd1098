import { SluiceError } from '../values/error.js';
import type { Limit } from '../values/limit.js';
import { leakyBucketDefinition } from './buckets/leaky.js';
import { tokenBucketDefinition } from './buckets/token.js';
import { concurrencyDefinition } from './concurrency.js';
import type { Algorithm, AlgorithmDefinition } from './definition.js';
import { fixedWindowDefinition } from './fixed-window.js';
import { slidingWindowLogDefinition } from './sliding/log.js';
import { slidingWindowDefinition } from './sliding/window.js';
import { slidingWindowCounterDefinition } from './sliding-window-counter.js';

/** A mapped type, so that an algorithm without its definition, or under the name of another, does not compile. */
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

/** The definition of each algorithm by its name; of `unlimited`, undefined. */
export const ALGORITHMS: Definitions & { readonly unlimited?: undefined } = BY_NAME;

/** The definitions of all algorithms. */
export const DEFINITIONS: readonly AlgorithmDefinition[] = Object.values(BY_NAME);

/** Whether an algorithm of this name is defined. Limits may come as JSON from elsewhere. */
export function isAlgorithm(name: string): name is Algorithm {
  return Object.hasOwn(BY_NAME, name);
}

/**
 * The definition of a limit's algorithm, where it must have one.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED` for a limit that no store counts
 */
export function definitionOf({ algorithm }: Limit): AlgorithmDefinition {
  if (isAlgorithm(algorithm)) return ALGORITHMS[algorithm];
  throw new SluiceError('SLUICE_UNSUPPORTED', `no store counts a limit by ${algorithm}`);
}
