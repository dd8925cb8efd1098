import { boundOf, fixedWindow, type Limit, slidingWindow, slidingWindowLog, tokenBucket } from '@sluice/core';

/** The window of every limit, and over which answers are counted. */
export const WINDOW_MS = 10_000;

/** The quota of every limit, and what a reload makes of it by turns. */
export const QUOTA = 20;
export const SMALLER_QUOTA = 10;

/** The programs whose answers are counted, each a process. Those of one mode share its limit if they share a store. */
export type ProcessName = 'express' | 'fastify' | 'service';

/** A way to count, and what it promises. */
export interface Mode {
  readonly limit: Limit;
  /** What decides while no store answers. */
  readonly onStoreError: 'deny' | 'local';
  readonly processes: readonly ProcessName[];
  /** Where the limit is counted: in each process by itself, or in Redis. */
  readonly countsIn: 'process' | 'redis';
  /** How many of the Redis servers keep its keys: the first, or both. */
  readonly servers: 0 | 1 | 2;
  /** The `sync` and `slice` of a `SyncedStore`. */
  readonly synced?: { readonly sync: '1s'; readonly slice: number };
  /** Without a fault, a burst above the limit gets exactly the quota. */
  readonly isExact: boolean;
  /** Its policy comes from a file that changes. */
  readonly reloads?: true;
}

const APPS = ['express', 'fastify'] as const;
const numbers = { limit: QUOTA, window: WINDOW_MS };
const bucket = tokenBucket({ capacity: QUOTA, refillRate: 2 });
const overRedis = { processes: APPS, countsIn: 'redis', servers: 1, isExact: true } as const;

/** Every mode by its name, which is also the name of its policy and of its route. */
export const MODES = {
  memory: {
    limit: slidingWindow(numbers),
    onStoreError: 'local',
    processes: APPS,
    countsIn: 'process',
    servers: 0,
    isExact: true,
  },
  strict: { ...overRedis, limit: slidingWindow(numbers), onStoreError: 'deny' },
  log: { ...overRedis, limit: slidingWindowLog(numbers), onStoreError: 'deny' },
  fallback: { ...overRedis, limit: fixedWindow(numbers), onStoreError: 'local', isExact: false },
  bucket: { ...overRedis, limit: bucket, onStoreError: 'local', isExact: false },
  sharded: { ...overRedis, limit: slidingWindow(numbers), onStoreError: 'local', servers: 2 },
  leased: { ...overRedis, limit: slidingWindow(numbers), onStoreError: 'deny', isExact: false },
  'leased-fallback': { ...overRedis, limit: bucket, onStoreError: 'local', isExact: false },
  synced: {
    ...overRedis,
    limit: slidingWindow(numbers),
    onStoreError: 'deny',
    synced: { sync: '1s', slice: 5 },
    isExact: false,
  },
  'synced-fallback': {
    ...overRedis,
    limit: fixedWindow(numbers),
    onStoreError: 'local',
    synced: { sync: '1s', slice: 5 },
    isExact: false,
  },
  live: { ...overRedis, limit: slidingWindow(numbers), onStoreError: 'deny', reloads: true },
  'service-strict': {
    ...overRedis,
    limit: slidingWindow(numbers),
    onStoreError: 'deny',
    processes: ['service'],
    reloads: true,
  },
  'service-fallback': {
    ...overRedis,
    limit: slidingWindow(numbers),
    onStoreError: 'local',
    processes: ['service'],
    reloads: true,
  },
} as const satisfies Readonly<Record<string, Mode>>;

export type ModeName = keyof typeof MODES;

/** Returns the most that a mode promises to admit of one key in a window in which its servers lost their keys so many times. */
export function promisedBy(mode: Mode, losses: number): number {
  const { limit, onStoreError, countsIn, processes, synced = {} } = mode;
  if (countsIn === 'process') return boundOf(limit, WINDOW_MS);
  return boundOf(limit, WINDOW_MS, { instances: processes.length, losses, onStoreError, ...synced });
}
