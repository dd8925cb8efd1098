import type { Duration } from '@sluice/core';
import { checkOptions, durationMs } from '@sluice/core/values';

/** What a single call of a client can set for itself. */
export interface CallOptions {
  /** The longest time that this call waits in all: 0 to 100 years. Default: the `maxWait` of the client. */
  maxWait?: Duration;
}

/**
 * Returns the longest wait of a call in milliseconds; undefined if the call has none of its own.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function maxWaitOf(options: CallOptions | undefined): number | undefined {
  if (options === undefined) return undefined;
  checkOptions(options, ['maxWait'], 'sluice');
  return options.maxWait === undefined ? undefined : durationMs(options.maxWait, 'sluice.maxWait', 0);
}
