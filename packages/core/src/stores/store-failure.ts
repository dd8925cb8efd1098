import { SluiceError } from '../values/error.js';
import { publish } from '../values/events.js';
import type { Check } from './store.js';

/** Tells that a store has failed about these checks, and that nobody had to answer in its place. */
export function publishStoreError(checks: readonly Check[], error: unknown): void {
  publish('sluice:store-error', { error, policy: checks[0]?.policy ?? '', source: 'store' });
}

/** The error of a question that came after its `notAfterMs`, at `atMs` by the store's time: who asked learns the time from it. */
export function tooLateError(atMs: number): SluiceError {
  return new SluiceError('SLUICE_STORE', 'the answer came after its deadline; nothing was charged', { atMs });
}
