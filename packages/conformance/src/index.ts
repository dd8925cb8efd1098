/**
 * `@sluice/conformance`: the suites that stores and adapters have to pass, and the tables of numbers behind them.
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
export type { Runner, TestFunction } from './runner.js';
export type { Claim, StoreClaims } from './store-suite/claims.js';
export { type StoreSuiteOptions, storeSuite } from './store-suite.js';
export { VECTORS, type Vector, type VectorFile } from './vectors.js';
