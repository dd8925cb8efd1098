/**
 * `@sluice/core/load`: load shedding. Users of a framework find `shedLoad` in the package of their adapter.
 *
 * @module
 */

export type { Priority } from '../values/priority.js';
export { Aimd, type AimdOptions } from './aimd.js';
export { createShedder } from './create-shedder.js';
export type { EventLoop } from './event-loop.js';
export { createLoadSignal, type LoadSignal, type LoadSignalOptions, type SampledLoadSignal } from './load-signal.js';
export { systemEventLoop } from './loop-age.js';
export { cpu, heap, loopDelay, loopUtilization } from './readings.js';
export type { InFlightOptions, LoadState, LoopOptions, Permit, Shedder, ShedderOptions } from './shedder.js';
export { type ByPriority, type ShedderMetrics, shedderMetrics } from './shedder-metrics.js';
