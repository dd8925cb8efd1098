import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LeasedStore } from '@sluice/core/distributed';
import { ManualClock } from '@sluice/core/testing';
import { RedisStore } from '@sluice/redis';
import type { Express } from 'express';
import type { Redis } from 'ioredis';
import request from 'supertest';
import { createApp, synced } from '../src/b8-kong.js';
import { describeOnEachStore, redisForTests } from './each-store.js';
import { serve } from './serve.js';
import { statuses, times } from './statuses.js';

const get = (app: Express, consumer = 'somebody') => request(app).get('/').set('X-Consumer', consumer);

describeOnEachStore((stage) => {
  let app: Express;

  beforeEach(() => {
    app = createApp({ store: stage.store, faultTolerant: true, everybody: { minute: 5, hour: 20 } });
  });

  it('B8: five of a minute and twenty of an hour pass, by the clock', async () => {
    stage.clock.advance('50s');
    for (let minute = 0; minute < 4; minute += 1) {
      expect(await statuses(6, () => get(app))).toEqual([...times(5, 200), 429]);
      stage.clock.advance('1m');
    }
    const { status, body, headers } = await get(app);
    expect({ status, body }).toEqual({ status: 429, body: { message: 'Rate limit exceeded' } });
    expect(headers['ratelimit-policy']).toBe('"minute";q=5;w=60,"hour";q=20;w=3600');
    expect(headers['retry-after']).toBe(String(3600 - 50 - 4 * 60));
  });

  it('B8: a consumer can have its own limits, and does not affect others', async () => {
    expect((await get(app, 'premium-user')).headers['ratelimit-policy']).toContain('"minute";q=500;');
    expect(await statuses(6, () => get(app))).toEqual([...times(5, 200), 429]);
    expect((await get(app, 'another')).status).toBe(200);
    expect((await request(app).get('/')).headers['x-ratelimit-remaining']).toBe('4');
  });
});

describeOnEachStore((stage) => {
  it.each([
    ['everybody', 'somebody', 100, 1000],
    ['the consumer premium-user', 'premium-user', 500, 10_000],
  ])('S8: %s has both limits in one step, %#', async (_, consumer, minute, hour) => {
    const server = serve(createApp({ store: stage.store, faultTolerant: true }));
    const ask = () => request(server).get('/').set('X-Consumer', consumer);
    expect(await statuses(minute, ask)).toEqual(times(minute, 200));
    const refused = await ask();
    expect([refused.status, refused.body]).toEqual([429, { message: 'Rate limit exceeded' }]);
    // The hour has not counted what the minute refused.
    expect(refused.headers.ratelimit).toMatch(new RegExp(`"minute";r=0;t=\\d+,"hour";r=${hour - minute};`));
  });
});

describe('with synchronized counters', () => {
  const redis = redisForTests();
  let clock: ManualClock;
  let clients: Redis[];
  let stores: LeasedStore[];
  let apps: Express[];

  beforeEach(() => {
    clock = new ManualClock();
    // Each instance has a connection of its own.
    clients = [redis.client.duplicate(), redis.client.duplicate()];
    stores = clients.map((client) => synced(new RedisStore({ client, clock, timeout: '30s', instances: 2 })));
    apps = stores.map((store) => createApp({ store, faultTolerant: true }));
  });

  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    for (const client of clients) client.disconnect();
  });

  const scriptCalls = async () => {
    const stats = await redis.client.info('commandstats');
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };

  it('B8: two instances admit a hundred together and no more, and ask Redis for fewer than half of them', async () => {
    const before = await scriptCalls();
    let admitted = 0;
    let refused = 0;
    for (let i = 0; refused < 40; i += 1) {
      const { status } = await get(apps[i % 2] as Express);
      if (status === 200) admitted += 1;
      else refused += 1;
      clock.advance('20ms');
    }
    expect(admitted).toBeLessThanOrEqual(100);
    expect(admitted).toBeGreaterThan(80);
    expect((await scriptCalls()) - before).toBeLessThan((admitted + refused) / 2);
  });
});

describe('without Redis', () => {
  const redis = redisForTests();

  it.each([
    [true, 'lets everything pass', times(8, 200)],
    [false, 'answers that the service is not there', times(8, 503)],
  ])('B8, S8: fault_tolerant %p %s', async (faultTolerant, _, expected) => {
    await redis.server.kill();
    const store = new RedisStore({ client: redis.client });
    const app = createApp({ store, faultTolerant });
    expect(await statuses(8, () => get(app))).toEqual(expected);
    await store.close();
    await redis.server.run();
  });
});
