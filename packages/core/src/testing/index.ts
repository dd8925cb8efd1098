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
} from './adapter-suite.js';
export { ManualClock } from './manual-clock.js';
export type { Runner, TestFunction } from './runner.js';
export type { Claim, StoreClaims } from './store-suite/claims.js';
export { storeSuite } from './store-suite.js';
export { VECTORS, type Vector, type VectorFile } from './vectors.js';
