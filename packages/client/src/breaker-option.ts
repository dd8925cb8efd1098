import type { Duration } from '@sluice/core';
import { checkOptions, checkWhole, durationMs, optionError } from '@sluice/core/values';
import type { BreakerSettings } from './limits/breaker.js';

/** When a client does not send requests because the server does not answer, or refuses most of them. */
export interface BreakerOptions {
  /**
   * After so many requests in a row without an answer nothing is sent for a pause, and then one request at a time: 1 to
   * 1,000. Default: 5.
   */
  failures?: number;
  /** The first pause. It doubles with each request that gets no answer after it. Default: `'1s'`. */
  pause?: Duration;
  /** The longest pause. Default: `'30s'`, or `pause` if that is longer. */
  longestPause?: Duration;
  /**
   * How many requests are sent at least for each one that the server accepts, over two minutes: 1 to 100. The more it refuses
   * for its load, the more of the others are not sent. `false`: all are sent. Default: 2.
   */
  ratio?: number | false;
}

/** A client of a server that is never given up. */
const OFF = { failures: Number.POSITIVE_INFINITY, pauseMs: 0, longestPauseMs: 0, ratio: Number.POSITIVE_INFINITY };

/**
 * Reads the option `breaker`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function breakerSettings(option: BreakerOptions | false | undefined): Omit<BreakerSettings, 'random'> {
  if (option === false) return OFF;
  const options = option ?? {};
  checkOptions(options, ['failures', 'pause', 'longestPause', 'ratio'], 'breaker');
  const { failures = 5, pause = '1s', longestPause, ratio = 2 } = options;
  const pauseMs = durationMs(pause, 'breaker.pause');
  const longestPauseMs =
    longestPause === undefined ? Math.max(30_000, pauseMs) : durationMs(longestPause, 'breaker.longestPause');
  if (longestPauseMs < pauseMs)
    throw optionError('breaker.longestPause', 'must be at least as long as breaker.pause', longestPause);
  if (ratio !== false && !(typeof ratio === 'number' && ratio >= 1 && ratio <= 100))
    throw optionError('breaker.ratio', 'must be a number from 1 to 100, or false', ratio);
  return {
    failures: checkWhole(failures, 'breaker.failures', 1, 1000),
    pauseMs,
    longestPauseMs,
    ratio: ratio === false ? Number.POSITIVE_INFINITY : ratio,
  };
}
