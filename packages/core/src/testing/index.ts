/**
 * `@sluice/core/testing`: a clock for tests, and the suites that stores and adapters have to pass.
 *
 * @example
 * storeSuite('MyStore', (clock) => new MyStore({ clock }));
 * @module
 */
export {
  type AdapterAnswer,
  type AdapterApp,
  type AdapterOptions,
  type AdapterRequest,
  type AdapterTools,
  adapterSuite,
  type RunningAdapter,
  type StartAdapter,
} from './adapter-suite.js';
export { ManualClock } from './manual-clock.js';
export type { Runner } from './runner.js';
export { storeSuite } from './store-suite.js';
export { VECTORS, type Vector, type VectorFile } from './vectors.js';
