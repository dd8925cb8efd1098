/**
 * `@sluice/core/load`: load shedding. Users of a framework find `shedLoad` in the package of their adapter.
 *
 * @module
 */

export type { LoadSignal } from '@sluice/core/src/limiter/policy/margin';
export type { Priority } from '@sluice/core/src/values/priority';
export { Aimd, type AimdOptions } from '@sluice/overload/aimd';
export { createShedder } from '@sluice/overload/create-shedder';
export type { EventLoop } from '@sluice/overload/event-loop';
export type { TenantOptions } from '@sluice/overload/fair-shares';
export { createLoadSignal, type LoadSignalOptions, type SampledLoadSignal } from '@sluice/overload/load-signal';
export { systemEventLoop } from '@sluice/overload/loop-age';
export { cpu, heap, loopDelay, loopUtilization } from '@sluice/overload/readings';
export type {
  InFlightOptions,
  LoadState,
  LoopOptions,
  Permit,
  RequestOrigin,
  Shedder,
  ShedderOptions,
} from '@sluice/overload/shedder';
export { type ByPriority, type ShedderMetrics, shedderMetrics } from '@sluice/overload/shedder-metrics';
