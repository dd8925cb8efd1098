import { durationMs } from '@sluice/core/src/values/duration';
import { optionError } from '@sluice/core/src/values/error';
import { checkOneOf, checkOptions, checkWhole } from '@sluice/core/src/values/option-checks';
import { Gradient2 } from './gradient2.js';
import { type InFlightLimit, LARGEST_LIMIT, type LimitBounds } from './in-flight-limit.js';
import { Knee } from './knee.js';
import type { InFlightOptions } from './shedder.js';
import { TimedAimd } from './timed-aimd.js';
import { Vegas } from './vegas.js';

type Algorithm = NonNullable<InFlightOptions['algorithm']>;

const ALGORITHMS: Readonly<Record<Algorithm, (bounds: LimitBounds, timeoutMs: number) => InFlightLimit>> = {
  knee: (bounds) => new Knee(bounds),
  vegas: (bounds) => new Vegas(bounds),
  gradient2: (bounds) => new Gradient2(bounds),
  aimd: (bounds, timeoutMs) => new TimedAimd(bounds, timeoutMs),
};

/**
 * Returns a function that makes the limits in flight that these options describe, one for each bulkhead.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function limitsOf(options: false | InFlightOptions): () => InFlightLimit | undefined {
  if (options === false) return () => undefined;
  checkOptions(options, ['algorithm', 'initial', 'max', 'timeout'], 'inFlight');
  const algorithms = Object.keys(ALGORITHMS) as Algorithm[];
  const algorithm = checkOneOf(options.algorithm ?? 'knee', 'inFlight.algorithm', algorithms);
  const first = options.initial ?? Math.min(20, checkWhole(options.max ?? 1000, 'inFlight.max', 1, LARGEST_LIMIT));
  const initial = checkWhole(first, 'inFlight.initial', 1, LARGEST_LIMIT);
  const max = checkWhole(options.max ?? Math.max(1000, initial), 'inFlight.max', initial, LARGEST_LIMIT);
  if (options.timeout !== undefined && algorithm !== 'aimd')
    throw optionError('inFlight.timeout', `is only for the algorithm 'aimd'`, options.timeout);
  const timeoutMs = durationMs(options.timeout ?? 5000, 'inFlight.timeout');
  return () => ALGORITHMS[algorithm]({ initial, max }, timeoutMs);
}
