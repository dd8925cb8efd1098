/**
 * `@sluice/core/load`: load shedding. Users of a framework find `shedLoad` in the package of their adapter.
 *
 * @module
 */

export { Aimd, type AimdOptions } from '@sluice/core/src/load/aimd';
export { createShedder } from '@sluice/core/src/load/create-shedder';
export type { EventLoop } from '@sluice/core/src/load/event-loop';
export {
  createLoadSignal,
  type LoadSignal,
  type LoadSignalOptions,
  type SampledLoadSignal,
} from '@sluice/core/src/load/load-signal';
export { systemEventLoop } from '@sluice/core/src/load/loop-age';
export { cpu, heap, loopDelay, loopUtilization } from '@sluice/core/src/load/readings';
export type {
  InFlightOptions,
  LoadState,
  LoopOptions,
  Permit,
  Shedder,
  ShedderOptions,
} from '@sluice/core/src/load/shedder';
export { type ByPriority, type ShedderMetrics, shedderMetrics } from '@sluice/core/src/load/shedder-metrics';
export type { Priority } from '@sluice/core/src/values/priority';
