/**
 * `@sluice/core`: limits, the limiter, the memory store, and the contract for other stores. It depends on no framework.
 *
 * @example
 * const limiter = createLimiter({ limit: 100, window: '1m' });
 * const { allowed, retryAfterMs } = limiter.consume('ann');
 * @module
 */

export { type BoundOptions, boundOf } from './algorithms/bound.js';
export { type LeakyBucketOptions, leakyBucket } from './algorithms/buckets/leaky.js';
export { type TokenBucketOptions, tokenBucket } from './algorithms/buckets/token.js';
export { type ConcurrencyOptions, concurrency } from './algorithms/concurrency.js';
export { type CalendarWindowOptions, type FixedWindowOptions, fixedWindow } from './algorithms/fixed-window.js';
export { slidingWindowLog } from './algorithms/sliding/log.js';
export { type SlidingWindowOptions, slidingWindow } from './algorithms/sliding/window.js';
export { slidingWindowCounter } from './algorithms/sliding-window-counter.js';
export type { WindowOptions } from './algorithms/window.js';
export type {
  Block,
  BlockEntry,
  BlockedOptions,
  BlockedPage,
  BlockOptions,
  BlockVerbs,
  Inspection,
  InspectOptions,
} from './limiter/blocks.js';
export { type Charge, type ChargedCheck, type ChargeOptions, chargeOf } from './limiter/charge.js';
export type { ChargeCorrection } from './limiter/charge-correction.js';
export { createLimiter } from './limiter/create-limiter.js';
export type { Limiter } from './limiter/limiter.js';
export { createLine, type Line, type LineOptions, type RunOptions } from './limiter/line/create-line.js';
export type { Elastic, Headroom, MarginOptions } from './limiter/policy/margin.js';
export type {
  GuaranteeItemOptions,
  GuaranteeOptions,
  KeyGenerator,
  LimitItem,
  PolicyOptions,
  Resolvable,
  Resolver,
} from './limiter/policy/options.js';
export { type BySource, type LimitCounters, type PolicyCounters, policyCounters } from './limiter/policy-counters.js';
export { prepareReplacement, replacePolicy } from './limiter/replace-policy.js';
export type { Reservation } from './limiter/reservation.js';
export type { OperationSpend, ReserveExpiry, ReserveSpend, Spend, WaitSpend } from './limiter/spend-options.js';
export {
  createLoadSignal,
  type LoadSignal,
  type LoadSignalOptions,
  type SampledLoadSignal,
} from './load/load-signal.js';
export { cpu, heap, loopDelay, loopUtilization } from './load/readings.js';
export type { BlockOrder, BlockPlace, BlockRange, Blocks, FoundBlock, ListedBlock } from './stores/blocks.js';
export { LeasedStore, type LeasedStoreOptions } from './stores/leased/leased-store.js';
export { MemoryStore, type MemoryStoreOptions } from './stores/memory/memory-store.js';
export { ShardedStore, type ShardedStoreOptions } from './stores/sharded/sharded-store.js';
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
} from './stores/store.js';
export { type StoreCounters, storeCounters } from './stores/store-counters.js';
export { SyncedStore, type SyncedStoreOptions } from './stores/synced/synced-store.js';
export type { GrowingBlock } from './values/block-growth.js';
export { type Clock, systemClock, wallClock } from './values/clock.js';
export type { Decision, Verdict } from './values/decision.js';
export type { Receiver } from './values/deferred.js';
export { type Duration, duration } from './values/duration.js';
export type { DurationCounters } from './values/duration-counts.js';
export { SluiceError, type SluiceErrorCode, type SluiceWarningCode } from './values/error.js';
export { type PolicyEvent, type SkipReason, type SluiceEvents, subscribe, type Timed } from './values/events.js';
export { everyone, type Key } from './values/key.js';
export { type CalendarWindow, type Limit, type LimitOptions, unlimited } from './values/limit.js';
export type { LimitStatus, LivePolicyStatus } from './values/live-policy-status.js';
export type { Priority } from './values/priority.js';
