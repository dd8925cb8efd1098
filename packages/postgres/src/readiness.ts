import { SluiceError, systemClock } from '@sluice/core';
import { codeOf } from './postgres-error.js';

const RETRY_MS = 50;

/** The errors of a server that starts, or restarts, by their SQLSTATE. Those of class 08 are failures of a connection. */
const PASSING = /^(57P0[123]|08...)$/;

/** PostgreSQL's codes have five characters, with a digit among them. Those of Node, such as EPIPE, have none. */
const IS_SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/**
 * Tries until it succeeds, while the database cannot be reached and the time is not over.
 *
 * @param attempt - gets the milliseconds that are left, at least 1
 * @throws SluiceError `SLUICE_STORE` if the database cannot be reached in time; its cause is the last error. The error of the
 * attempt if that has another reason
 */
export async function untilReachable(timeoutMs: number, attempt: (leftMs: number) => Promise<void>): Promise<void> {
  const endMs = systemClock.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt(Math.max(1, Math.ceil(endMs - systemClock.now())));
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (systemClock.now() + RETRY_MS >= endMs) throw unready(timeoutMs, error);
    }
    await systemClock.sleep(RETRY_MS);
  }
}

/** Whether there was no answer in time, no connection, or none that a server has taken. An error with advice has another reason. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof SluiceError) return error.storeFailure === 'timeout';
  const code = codeOf(error);
  return code === undefined || !IS_SQLSTATE.test(code) || PASSING.test(code);
}

function unready(timeoutMs: number, cause: unknown): SluiceError {
  // If none of several addresses of a host could be reached, Node reports only a code.
  const reason = (cause as Partial<Error> | null | undefined)?.message || codeOf(cause);
  return new SluiceError('SLUICE_STORE', `PostgreSQL did not answer within ${timeoutMs} ms: ${reason}`, { cause });
}
