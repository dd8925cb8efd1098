import { describe, expect, it } from '@jest/globals';
import { createLimiter, everyone, type Limit, type PolicyOptions, slidingWindow, tokenBucket } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { PER_SECOND, playGreedyTenant } from '@sluice/test-kit/greedy-tenant';
import { type Findings, playAdversary, WINDOW_MS } from '@sluice/test-kit/guarantee-adversary';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { Cluster, type Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

let client: Redis;

withRedis((started) => {
  client = started;
});

/** With `SLUICE_RUNS`: more adversaries, and a whole minute of traffic. */
const RUNS = process.env.SLUICE_RUNS;
const ADVERSARIES = RUNS === undefined ? 1 : Math.min(20, Math.ceil(Number(RUNS) / 50));
const SECONDS = RUNS === undefined ? 2 : 60;

let prefixes = 0;

async function withStore<T>(play: (store: RedisStore, clock: ManualClock) => Promise<T>): Promise<T> {
  prefixes += 1;
  const clock = new ManualClock();
  const store = new RedisStore({ client, clock, prefix: `guarantee-${prefixes}:`, timeout: '1m' });
  try {
    return await play(store, clock);
  } finally {
    await store.close();
  }
}

const LIMITS: readonly (readonly [name: string, limit: Limit, graceMs: number])[] = [
  ['sliding window', slidingWindow({ limit: 100, window: WINDOW_MS }), 50],
  ['token bucket', tokenBucket({ capacity: 100, refillRate: 100 }), 0],
];

describe.each(LIMITS)('A %s with guaranteed parts in Redis', (_name, limit, graceMs) => {
  it.each([0, 0.5, 1])('keeps every guarantee and its bound, and reaches that, with lend %d', async (lend) => {
    const found: Findings[] = [];
    for (let seed = 1; seed <= ADVERSARIES; seed += 1) {
      const trial = { limit, lend, seed, steps: 700, graceMs };
      found.push(await withStore((store, clock) => playAdversary(store, clock, trial)));
    }
    const worst = Math.max(...found.map((one) => one.worst));
    expect(found.reduce((sum, { brokenPromises }) => sum + brokenPromises, 0)).toBe(0);
    expect(worst).toBeLessThanOrEqual(1);
    expect(worst).toBeGreaterThanOrEqual(0.85);
  });

  it('gives nine modest tenants what they ask for beside a greedy one, and wastes nothing', async () => {
    const rate = { ...limit, quota: PER_SECOND };
    const divided = limit.capacity === undefined ? rate : tokenBucket({ capacity: PER_SECOND, refillRate: PER_SECOND });
    const { leastOfTheNine, perSecond } = await withStore((store, clock) =>
      playGreedyTenant(store, clock, { limit: divided, seconds: SECONDS, isGuaranteed: true }),
    );
    expect(leastOfTheNine).toBeGreaterThanOrEqual(0.99);
    expect(perSecond).toBeGreaterThanOrEqual(0.97 * PER_SECOND);
  });
});

describe('A guarantee in a cluster', () => {
  const policy = {
    limit: 10,
    window: '1m',
    keyGenerator: everyone(),
    guarantee: { limit: 1, keyGenerator: (tenant: string) => tenant, total: 5 },
  } as const;
  const storeOf = (hashTag?: 'policy') => {
    const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });
    return new RedisStore({ client: cluster, ...(hashTag && { hashTag }) });
  };

  it('is refused at construction if its keys are in different slots', async () => {
    const store = storeOf();
    expect(() => createLimiter({ ...policy, store } as PolicyOptions<[string], true>)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'hashTag' }),
    );
    await store.close();
  });

  it('is accepted if all keys of a policy are in one slot', async () => {
    const store = storeOf('policy');
    createLimiter({ ...policy, store } as PolicyOptions<[string], true>);
    await store.close();
  });
});
