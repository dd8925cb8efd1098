/**
 * `@sluice/core`: limits, the limiter that asks about them, the store in memory, and the contract for other stores. No
 * framework.
 *
 * @example
 * const limiter = createLimiter({ limit: 100, window: '1m' });
 * const { allowed, retryAfterMs } = limiter.consume('ann');
 * @module
 */
export { type ConcurrencyOptions, concurrency } from './algorithms/concurrency.js';
export { type CalendarWindowOptions, type FixedWindowOptions, fixedWindow } from './algorithms/fixed-window.js';
export { type LeakyBucketOptions, leakyBucket } from './algorithms/leaky-bucket.js';
export { type SlidingWindowOptions, slidingWindow } from './algorithms/sliding-window.js';
export { slidingWindowCounter } from './algorithms/sliding-window-counter.js';
export { slidingWindowLog } from './algorithms/sliding-window-log.js';
export { type TokenBucketOptions, tokenBucket } from './algorithms/token-bucket.js';
export type { WindowOptions } from './algorithms/window.js';
export { type BoundOptions, boundOf } from './bound.js';
export { type Clock, systemClock, wallClock } from './clock.js';
export type { Decision, Verdict } from './decision.js';
export type { Duration } from './duration.js';
export { SluiceError, type SluiceErrorCode, type SluiceWarningCode } from './error.js';
export { type SluiceEvents, subscribe } from './events.js';
export { everyone, type Key } from './key.js';
export { LeasedStore, type LeasedStoreOptions } from './leasing/leased-store.js';
export { SyncedStore, type SyncedStoreOptions } from './leasing/synced-store.js';
export { type CalendarWindow, type Limit, type LimitOptions, unlimited } from './limit.js';
export { createLimiter, type Limiter, type ReserveSpend, type Spend, type WaitSpend } from './limiter/limiter.js';
export type { KeyGenerator, LimitItem, PolicyOptions, Resolvable, Resolver } from './limiter/policy-options.js';
export type { Reservation } from './limiter/reservation.js';
export { MemoryStore, type MemoryStoreOptions } from './memory-store.js';
export { ShardedStore, type ShardedStoreOptions } from './sharding/sharded-store.js';
export type {
  Answer,
  Ask,
  Capabilities,
  Change,
  ChangeReply,
  ChangeResult,
  Check,
  Correction,
  LimitOutline,
  Placement,
  PolicyOutline,
  Reply,
  Store,
  Target,
} from './store.js';
