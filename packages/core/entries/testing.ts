/**
 * `@sluice/core/testing`: a clock for tests, and the suites that stores and adapters have to pass.
 *
 * @example
 * storeSuite('MyStore', (clock) => new MyStore({ clock }), claims);
 * @module
 */
export {
  type AdapterAnswer,
  type AdapterApp,
  type AdapterClaims,
  type AdapterOptions,
  type AdapterRequest,
  type AdapterTools,
  adapterSuite,
  type RunningAdapter,
  type StartAdapter,
} from '@sluice/core/src/testing/adapter-suite';
export { ManualClock } from '@sluice/core/src/testing/manual-clock';
export type { Runner, TestFunction } from '@sluice/core/src/testing/runner';
export { storeSuite } from '@sluice/core/src/testing/store-suite';
export type { Claim, StoreClaims } from '@sluice/core/src/testing/store-suite/claims';
export { VECTORS, type Vector, type VectorFile } from '@sluice/core/src/testing/vectors';
