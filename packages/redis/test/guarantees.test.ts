import { describe, expect, it } from '@jest/globals';
import { createLimiter, everyone, type PolicyOptions } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { guaranteeSuite } from '@sluice/test-kit/guarantee-suite';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { Cluster, type Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

let client: Redis;

withRedis((started) => {
  client = started;
});

let prefixes = 0;

guaranteeSuite(
  'Redis',
  async (play) => {
    prefixes += 1;
    const clock = new ManualClock();
    const store = new RedisStore({ client, clock, prefix: `guarantee-${prefixes}:`, timeout: '1m' });
    try {
      return await play(store, clock);
    } finally {
      await store.close();
    }
  },
  { limits: ['sliding window', 'token bucket'], adversaries: 1, steps: 300, seconds: 2 },
);

describe('A guarantee in a cluster', () => {
  const policy = {
    limit: 10,
    window: '1m',
    keyGenerator: everyone(),
    guarantee: { limit: 1, keyGenerator: (tenant: string) => tenant, total: 5 },
  } as const;
  const storeOf = (hashTag?: 'policy') => {
    const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });
    return new RedisStore({ client: cluster, ...(hashTag && { hashTag }), timeout: '10s' });
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
