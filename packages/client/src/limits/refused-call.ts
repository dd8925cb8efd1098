import { SluiceError } from '@sluice/core';

/** The error of a request that was not sent because its turn would come too late. */
export function refusedCall(retryAfterMs: number | 'never'): SluiceError {
  const why =
    retryAfterMs === 'never' ? 'the limits never allow it' : `its turn would come in ${retryAfterMs} ms, after maxWait`;
  return notSent(why, retryAfterMs);
}

/**
 * The error of a request that was not sent because all slots of an adaptive concurrency were taken.
 *
 * @param usualMs - how long a request usually takes
 */
export function fullServer(
  { limit, waiting }: { readonly limit: number; readonly waiting: number },
  usualMs: number,
): SluiceError {
  const retryAfterMs = Math.max(1, Math.ceil((usualMs * waiting) / limit));
  return notSent(
    `the server takes ${limit} at a time now, and none of them ended in time for it, within maxWait`,
    retryAfterMs,
  );
}

/** The error of a request that was not sent because the server has not answered the last ones. */
export function silentServer(retryAfterMs: number): SluiceError {
  return unavailable(`the server does not answer, and is tried again in ${retryAfterMs} ms`, retryAfterMs);
}

/** When to come again to a server that refuses most requests: one of the next may be sent. */
const OVERLOADED_MS = 1000;

/** The error of a request that was not sent because the server refuses most of them. */
export function overloadedServer(): SluiceError {
  return unavailable('the server refuses most requests for its load', OVERLOADED_MS);
}

function unavailable(why: string, retryAfterMs: number): SluiceError {
  return new SluiceError('SLUICE_UNAVAILABLE', `the request was not sent: ${why}`, { retryAfterMs });
}

function notSent(why: string, retryAfterMs: number | 'never'): SluiceError {
  return new SluiceError('SLUICE_REFUSED', `the request was not sent: ${why}`, { retryAfterMs });
}
