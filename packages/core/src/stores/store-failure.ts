import { reasonOf, SluiceError } from '../values/error.js';
import { publish } from '../values/events.js';
import { type Eventual, recover } from '../values/eventual.js';
import { recordFailure } from '../values/failure-metrics.js';
import { policyRecorder } from '../values/policy-recorder.js';
import type { LimitCheck } from './store.js';

/** Publishes that a store failed to decide these checks, although no fallback had to decide. */
export function publishStoreError(checks: readonly LimitCheck[], error: unknown): void {
  const policy = checks[0]?.policy ?? '';
  if (policy !== '') recordFailure(policyRecorder(policy).storeErrors, error);
  publish('sluice:store-error', { error, policy, source: 'store' });
}

/** Calls a store for a program that gets its failure itself: the error then has a code, whatever the store rejects with. */
export function callingStore<T>(call: () => Eventual<T>): Eventual<T> {
  return recover(call, (error) => {
    throw codedError(error);
  });
}

function codedError(error: unknown): SluiceError {
  if (error instanceof SluiceError) return error;
  return new SluiceError('SLUICE_STORE', `the store failed: ${reasonOf(error)}`, { cause: error });
}

/**
 * The error of a call about a key whose entry has a form that this version does not know. The database answers, so the error has
 * its time, and no breaker opens.
 */
export function unknownFormError(atMs: number): SluiceError {
  const message =
    'a newer version of Sluice has written about this key in a form that this version does not know, so nothing was changed: update this program, or reset the key';
  return new SluiceError('SLUICE_STORE', message, { atMs });
}

/** The error of a request that came after its `notAfterMs`. The caller learns the store's time from `atMs`. */
export function tooLateError(atMs: number): SluiceError {
  return new SluiceError('SLUICE_STORE', 'the answer came after its deadline; nothing was charged', {
    atMs,
    storeFailure: 'timeout',
  });
}
