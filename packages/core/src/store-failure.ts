import { publish } from './events.js';
import type { Check } from './store.js';

/** Tells that a store has failed about these checks, and that nobody had to answer in its place. */
export function tellOfFailure(checks: readonly Check[], error: unknown): void {
  publish('sluice:store-error', { error, policy: checks[0]?.policy ?? '', source: 'store' });
}
