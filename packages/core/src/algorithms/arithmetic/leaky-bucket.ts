import { type BucketLimit, type BucketState, bucketUntilMs, held, refill, takeOut } from './bucket.js';

/** The delay of a request that finds the bucket with this content, as `held` returns it. */
function delayAt(content: number, limit: BucketLimit): number {
  const immediate = limit.immediate === undefined ? 0 : limit.immediate;
  const units = (limit.quota - immediate) * limit.refillPeriodMs - content;
  // Math.max(0, ...) of the rounded time could be -0.
  return units <= 0 ? 0 : Math.ceil(units / limit.refillUnits);
}

export function delayMs(state: BucketState, limit: BucketLimit, nowMs: number): number {
  return delayAt(held(state, limit, nowMs), limit);
}

export function waitMs(state: BucketState, limit: BucketLimit, units: number, nowMs: number): number | 'never' {
  return bucketUntilMs(state, limit, limit.quota, units, nowMs);
}

export function spend(state: BucketState, limit: BucketLimit, units: number, nowMs: number): void {
  refill(state, limit, nowMs);
  takeOut(state, limit, units);
}

/** Requests further back already have their departure times. A place that is given up therefore stays empty. */
export function refund(): boolean {
  return false;
}

/** As long as units are missing by the largest capacity that the bucket was written with, the state matters. */
export function retentionMs(state: BucketState, limit: BucketLimit, nowMs: number): number | undefined {
  const { capacity } = state;
  return capacity > limit.quota ? (bucketUntilMs(state, limit, capacity, capacity, nowMs) as number) : undefined;
}
