import { SluiceError, systemClock } from '@sluice/core';
import { type Keyspace, untilReady } from '@sluice/core/store';
import { codeOf } from './postgres-error.js';

const RETRY_MS = 50;

/** The errors of a server that starts, or restarts, by their SQLSTATE. Those of class 08 are failures of a connection. */
const PASSING = /^(57P0[123]|08...)$/;

/** PostgreSQL's codes have five characters, with a digit among them. Those of Node, such as EPIPE, have none. */
const IS_SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** How `ready()` of a store waits, and what it tries. */
interface Reaching {
  readonly keyspace: Keyspace;
  readonly timeoutMs: number;
  /** Asks the database for something. */
  readonly attempt: () => Promise<void>;
  /** Says why no query can be sent now, if that is known. */
  readonly trouble?: (() => string | undefined) | undefined;
}

/**
 * Tries until it succeeds, while the database cannot be reached, the store is open and the time is not over.
 *
 * @throws SluiceError `SLUICE_STORE` if the database cannot be reached in time; its cause is the last error. The error of the
 * attempt if that has another reason. `SLUICE_CLOSED`
 */
export async function untilReachable({ keyspace, timeoutMs, attempt, trouble }: Reaching): Promise<void> {
  let lastError: unknown;
  const work = async (over: AbortSignal): Promise<void> => {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        lastError = error;
      }
      await systemClock.sleep(RETRY_MS, over);
    }
  };
  const late = () => ({
    what: 'PostgreSQL did not answer',
    why: [lastError === undefined ? trouble?.() : textOf(lastError)],
    cause: lastError,
  });
  await untilReady({ keyspace, timeoutMs, work, late });
}

/** If none of several addresses of a host could be reached, Node reports only a code. */
function textOf(error: unknown): string | undefined {
  return (error as Partial<Error> | null)?.message || codeOf(error);
}

/** Whether there was no answer in time, no connection, or none that a server has taken. An error with advice has another reason. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof SluiceError) return error.storeFailure === 'timeout';
  const code = codeOf(error);
  return code === undefined || !IS_SQLSTATE.test(code) || PASSING.test(code);
}
