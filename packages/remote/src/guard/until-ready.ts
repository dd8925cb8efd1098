import type { Keyspace } from '@sluice/core/src/stores/keyspace';
import { callingStore } from '@sluice/core/src/stores/store-failure';
import { systemClock } from '@sluice/core/src/values/clock';
import { SluiceError } from '@sluice/core/src/values/error';

/** Why a store is not ready in time. */
interface Lateness {
  /** What has not happened: `Redis did not answer`. */
  readonly what: string;
  /** The reasons, as far as they are known, from the nearest to the farthest. */
  readonly why: readonly (string | undefined)[];
  /** The last error, if there was one. */
  readonly cause: unknown;
}

/** How `ready()` of a store waits. */
interface Readying {
  /** The place where the store counts. The wait ends when it is closed. */
  readonly keyspace: Keyspace;
  /** The longest wait. */
  readonly timeoutMs: number;
  /** Finds out whether the store can be used, and tries until `over` aborts. */
  readonly work: (over: AbortSignal) => Promise<void>;
  /** Says why that takes too long. */
  readonly late: () => Lateness;
}

/**
 * Waits as `ready()` of every store does: for its own time, however long a decision may take, and no longer than the store is open.
 *
 * @throws what `work` rejects with, as the cause of a SluiceError `SLUICE_STORE` if it has no code of ours; SluiceError `SLUICE_STORE` if that takes
 * too long; `SLUICE_CLOSED`
 */
export async function untilReady({ keyspace, timeoutMs, work, late }: Readying): Promise<void> {
  const over = new AbortController();
  let stopListening = (): void => {};
  const closed = new Promise<never>((_, reject) => {
    stopListening = keyspace.whenClosed(() => reject(new SluiceError('SLUICE_CLOSED', 'the store was closed')));
  });
  const ended = systemClock.sleep(timeoutMs, over.signal).then(() => {
    throw lateError(timeoutMs, late());
  });
  try {
    await Promise.race([callingStore(() => work(over.signal)), ended, closed]);
  } finally {
    over.abort();
    stopListening();
  }
}

function lateError(timeoutMs: number, { what, why, cause }: Lateness): SluiceError {
  const reasons = why.filter((reason) => reason !== undefined && reason !== '');
  return new SluiceError('SLUICE_STORE', [`${what} within ${timeoutMs} ms`, ...reasons].join(': '), {
    storeFailure: 'timeout',
    ...(cause !== undefined && { cause }),
  });
}
