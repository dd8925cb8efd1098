import * as core from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';
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
  | 'slidingWindow'
  | 'slidingWindowCounter'
  | 'slidingWindowLog'
  | 'tokenBucket'
> & {
  readonly LeasedStore: typeof LeasedStore;
  readonly ManualClock: typeof ManualClock;
  readonly RedisStore: typeof RedisStore;
  readonly SyncedStore: typeof SyncedStore;
  /** Absent in the first form. */
  readonly PostgresStore: typeof PostgresStore;
};

export const today: Version = { ...core, LeasedStore, ManualClock, PostgresStore, RedisStore, SyncedStore };

/** The stores of the last form before today's, from its commit: see `main.ts`. */
export const earlier: Version = require('./generated/earlier.cjs');
