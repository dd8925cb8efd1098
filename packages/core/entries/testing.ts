/**
 * `@sluice/core/testing`: a clock for tests. The suites that stores and adapters have to pass are in `@sluice/conformance`.
 *
 * @example
 * const clock = new ManualClock();
 * const limiter = createLimiter({ limit: 1, window: '1h', store: new MemoryStore({ clock }) });
 * @module
 */
export { ManualClock } from '@sluice/core/src/testing/manual-clock';
