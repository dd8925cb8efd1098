import type { Duration } from '@sluice/core';
import { checkOptions, checkWhole, durationMs, optionError } from '@sluice/core/values';
import type { AdaptiveSettings } from './limits/adaptive-concurrency.js';
import { MOST_SLOTS } from './limits/slots.js';

/** How a client finds by itself how many requests are under way at the same time. */
export interface AdaptiveConcurrencyOptions {
  /** The concurrency at the start, for each key: 1 to 10,000. Default: 1. It doubles until the first failure. */
  initial?: number;
  /** The largest concurrency: from `initial` to 10,000. Default: 200, or `initial` if that is larger. */
  max?: number;
  /**
   * An answer whose head takes longer counts as a failure, so the concurrency shrinks: 1 ms to 100 years. The request
   * itself goes on. Set it for a server that lets requests wait and does not refuse any: without it, nothing says that
   * there are too many. Default: no answer is late.
   */
  timeout?: Duration;
}

/** How many requests are under way at the same time. */
export type ConcurrencyOption =
  | number
  | 'adaptive'
  | {
      /** The client finds the concurrency by itself, within these bounds. */
      readonly adaptive: AdaptiveConcurrencyOptions;
    };

const DEFAULT_MAX = 200;

/**
 * Reads the option `concurrency`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function concurrencySettings(option: ConcurrencyOption | undefined): {
  readonly concurrency?: number;
  readonly adaptive?: AdaptiveSettings;
} {
  if (option === undefined) return {};
  if (typeof option === 'number') return { concurrency: checkWhole(option, 'concurrency', 1, MOST_SLOTS) };
  if (option === 'adaptive') return { adaptive: adaptiveSettings({}) };
  if (typeof option !== 'object' || option === null)
    throw optionError(
      'concurrency',
      "must be a number, 'adaptive', or { adaptive: { initial, max, timeout } }",
      option,
    );
  checkOptions(option, ['adaptive'], 'concurrency');
  return { adaptive: adaptiveSettings(option.adaptive) };
}

function adaptiveSettings(options: AdaptiveConcurrencyOptions): AdaptiveSettings {
  const path = 'concurrency.adaptive';
  checkOptions(options, ['initial', 'max', 'timeout'], path);
  const initial = checkWhole(options.initial ?? 1, `${path}.initial`, 1, MOST_SLOTS);
  const max = checkWhole(options.max ?? Math.max(DEFAULT_MAX, initial), `${path}.max`, initial, MOST_SLOTS);
  const { timeout } = options;
  return {
    initial,
    max,
    timeoutMs: timeout === undefined ? Number.POSITIVE_INFINITY : durationMs(timeout, `${path}.timeout`),
  };
}
