import * as core from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { PostgresStore } from '@sluice/postgres';
import { RedisStore } from '@sluice/redis';

/** What the tests use of a version of Sluice. Those of an earlier one have at least this. */
export type Version = Pick<
  typeof core,
  | 'createLimiter'
  | 'concurrency'
  | 'fixedWindow'
  | 'leakyBucket'
  | 'LeasedStore'
  | 'slidingWindow'
  | 'slidingWindowCounter'
  | 'slidingWindowLog'
  | 'SyncedStore'
  | 'tokenBucket'
> & {
  readonly ManualClock: typeof ManualClock;
  readonly RedisStore: typeof RedisStore;
  /** Absent in the first form. */
  readonly PostgresStore: typeof PostgresStore;
};

export const today: Version = { ...core, ManualClock, RedisStore, PostgresStore };

/** The stores of the last form before today's, from its commit: see `main.ts`. */
export const earlier: Version = require('./generated/earlier.cjs');
