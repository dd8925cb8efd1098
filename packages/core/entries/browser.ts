/**
 * `@sluice/core` in bundles for browsers: the same names, without the lines of `limiter.wait`, and without suggestions for
 * options of other libraries. A program that waits imports `@sluice/core/lines`.
 *
 * @module
 */

export { type BoundOptions, boundOf } from '@sluice/core/src/algorithms/bound';
export { type LeakyBucketOptions, leakyBucket } from '@sluice/core/src/algorithms/buckets/leaky';
export { type TokenBucketOptions, tokenBucket } from '@sluice/core/src/algorithms/buckets/token';
export { type ConcurrencyOptions, concurrency } from '@sluice/core/src/algorithms/concurrency';
export {
  type CalendarWindowOptions,
  type FixedWindowOptions,
  fixedWindow,
} from '@sluice/core/src/algorithms/fixed-window';
export { slidingWindowLog } from '@sluice/core/src/algorithms/sliding/log';
export { type SlidingWindowOptions, slidingWindow } from '@sluice/core/src/algorithms/sliding/window';
export { slidingWindowCounter } from '@sluice/core/src/algorithms/sliding-window-counter';
export type { WindowOptions } from '@sluice/core/src/algorithms/window';
export type {
  Block,
  BlockEntry,
  BlockedOptions,
  BlockedPage,
  BlockOptions,
  BlockVerbs,
  Inspection,
  InspectOptions,
} from '@sluice/core/src/limiter/blocks';
export { type Charge, type ChargedCheck, type ChargeOptions, chargeOf } from '@sluice/core/src/limiter/charge';
export type { ChargeCorrection } from '@sluice/core/src/limiter/charge-correction';
export { createLimiter } from '@sluice/core/src/limiter/create-limiter';
export type { Limiter } from '@sluice/core/src/limiter/limiter';
export { createLine, type Line, type LineOptions, type RunOptions } from '@sluice/core/src/limiter/line/create-line';
export type { Elastic, Headroom, LoadSignal, MarginOptions } from '@sluice/core/src/limiter/policy/margin';
export type {
  GuaranteeItemOptions,
  GuaranteeOptions,
  KeyGenerator,
  LimitItem,
  PolicyOptions,
  Resolvable,
  Resolver,
} from '@sluice/core/src/limiter/policy/options';
export {
  type BySource,
  type LimitMetrics,
  type PolicyMetrics,
  policyMetrics,
} from '@sluice/core/src/limiter/policy-metrics';
export { prepareReplacement, replacePolicy } from '@sluice/core/src/limiter/replace-policy';
export type { Reservation } from '@sluice/core/src/limiter/reservation';
export type {
  OperationSpend,
  ReserveExpiry,
  ReserveSpend,
  Spend,
  WaitSpend,
} from '@sluice/core/src/limiter/spend-options';
export type {
  BlockOrder,
  BlockPlace,
  BlockRange,
  Blocks,
  FoundBlock,
  ListedBlock,
} from '@sluice/core/src/stores/blocks';
export { MemoryStore, type MemoryStoreOptions } from '@sluice/core/src/stores/memory/memory-store';
export type {
  Answer,
  Capabilities,
  Change,
  ChangeResponse,
  ChangeResult,
  Consumed,
  Correction,
  GuaranteedParts,
  LimitCheck,
  LimitOutline,
  PartCheck,
  Placement,
  PolicyOutline,
  Store,
  StoreRequest,
  StoreResponse,
  StoreVerdict,
  Target,
} from '@sluice/core/src/stores/store';
export { type StoreMetrics, storeMetrics } from '@sluice/core/src/stores/store-metrics';
export type { GrowingBlock } from '@sluice/core/src/values/block-growth';
export { type Clock, systemClock, wallClock } from '@sluice/core/src/values/clock';
export type { Decision, Verdict } from '@sluice/core/src/values/decision';
export type { Receiver } from '@sluice/core/src/values/deferred';
export { type Duration, duration } from '@sluice/core/src/values/duration';
export type { DurationHistogram } from '@sluice/core/src/values/duration-recorder';
export { SluiceError, type SluiceErrorCode, type SluiceWarningCode } from '@sluice/core/src/values/error';
export {
  type PolicyEvent,
  type SkipReason,
  type SluiceEvents,
  subscribe,
  type Timed,
} from '@sluice/core/src/values/events';
export { everyone, type Key } from '@sluice/core/src/values/key';
export { type CalendarWindow, type Limit, type LimitOptions, unlimited } from '@sluice/core/src/values/limit';
export type { LimitStatus, LivePolicyStatus } from '@sluice/core/src/values/live-policy-status';
export type { Priority } from '@sluice/core/src/values/priority';
export { createLoadSignal, type LoadSignalOptions, type SampledLoadSignal } from '@sluice/overload/load-signal';
export { cpu, heap, loopDelay, loopUtilization } from '@sluice/overload/readings';
