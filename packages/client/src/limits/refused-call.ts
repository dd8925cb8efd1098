import { SluiceError } from '@sluice/core';

/** The error of a request that was not sent because its turn would come too late. */
export function refusedCall(retryAfterMs: number | 'never'): SluiceError {
  const why =
    retryAfterMs === 'never' ? 'the limits never allow it' : `its turn would come in ${retryAfterMs} ms, after maxWait`;
  return new SluiceError('SLUICE_REFUSED', `the request was not sent: ${why}`, { retryAfterMs });
}
