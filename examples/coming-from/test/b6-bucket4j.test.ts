import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Limiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import request from 'supertest';
import { createApp, createBucket, createKeyedApp, INTERVALLY, probe } from '../src/b6-bucket4j.js';
import { describeOnEachStore } from './each-store.js';
import { statuses, times } from './statuses.js';

describe('a bucket', () => {
  let clock: ManualClock;
  let bucket: Limiter<string, false>;

  beforeEach(() => {
    clock = new ManualClock();
    bucket = createBucket(new MemoryStore({ clock }));
  });

  it('B6: several bandwidths apply together, and the probe states the remaining tokens of the scarcest', () => {
    expect(probe(bucket, 'ann', 3)).toEqual({ isConsumed: true, remainingTokens: 2, nanosToWaitForRefill: 0 });
    clock.advance('1s');
    expect(probe(bucket, 'ann', 1)).toMatchObject({ isConsumed: true, remainingTokens: 4 });
    for (let i = 0; i < 3; i += 1) {
      clock.advance('1s');
      probe(bucket, 'ann', 5);
    }
    // 19 were consumed in four seconds. In this time one unit of the minute came back.
    expect(bucket.peek('ann').verdicts.map(({ remaining }) => remaining)).toEqual([2, 0]);
  });

  it('B6: the probe of a refusal states the time to wait, and consumes nothing', () => {
    probe(bucket, 'ann', 4);
    const refused = { isConsumed: false, remainingTokens: 1, nanosToWaitForRefill: 400e6 };
    expect(probe(bucket, 'ann', 3)).toEqual(refused);
    expect(probe(bucket, 'ann', 3)).toEqual(refused);
    clock.advance('400ms');
    expect(probe(bucket, 'ann', 3)).toMatchObject({ isConsumed: true, remainingTokens: 0 });
    expect(probe(bucket, 'ann', 6)).toMatchObject({ isConsumed: false, nanosToWaitForRefill: Infinity });
  });

  it('B6: a greedy refill returns every token as soon as it is due', () => {
    probe(bucket, 'ann', 5);
    const atMs = [199, 200, 399, 400, 600];
    const seen = atMs.map((ms, i) => {
      clock.advance(ms - (atMs[i - 1] ?? 0));
      return bucket.peek('ann').verdicts[1]?.remaining;
    });
    expect(seen).toEqual([0, 1, 1, 2, 3]);
  });

  it('B6: a refill by interval returns all tokens when the interval is over', () => {
    const hourly = createLimiter({ limit: INTERVALLY, store: new MemoryStore({ clock }) });
    hourly.consume('ann', { cost: 100 });
    clock.advance(3_600_000 - 1);
    expect(hourly.peek('ann')).toMatchObject({ allowed: false, retryAfterMs: 1 });
    clock.advance(1);
    expect(hourly.peek('ann').tightest.remaining).toBe(100);
  });

  it('B6: a blocking bucket waits until there are tokens', async () => {
    probe(bucket, 'ann', 5);
    const turn = bucket.wait('ann', { cost: 2 });
    await clock.untilSleeping(1);
    clock.advance('400ms');
    expect((await turn).allowed).toBe(true);
  });
});

describeOnEachStore((stage) => {
  it('B6: over HTTP a refusal is 429 with Retry-After, for all clients together', async () => {
    const app = createApp(stage.store);
    const get = () => request(app).get('/');
    expect(await statuses(5, get)).toEqual(times(5, 200));
    const { status, headers } = await get();
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 429, retryAfter: '1' });
    for (let i = 0; i < 3; i += 1) {
      stage.clock.advance('1s');
      expect(await statuses(5, get)).toEqual(times(5, 200));
    }
    stage.clock.advance('1s');
    // One of the minute's twenty units came back in four seconds: 20 / 60 a second.
    expect(await statuses(2, get)).toEqual([200, 429]);
    expect((await get()).headers['retry-after']).toBe('2');
  });

  it('B6, S11: by API key 100 pass and the next is refused with its body; without a key it is 401, and nothing is spent', async () => {
    const app = createKeyedApp(stage.store);
    expect((await request(app).get('/')).status).toBe(401);
    const get = () => request(app).get('/').set('X-API-Key', 'of ann');
    const first = await get();
    expect(first.headers['x-ratelimit-remaining']).toBe('99');
    expect(await statuses(99, get)).toEqual(times(99, 200));
    const { status, headers, body } = await get();
    expect([status, body]).toEqual([429, { error: 'Rate limit exceeded' }]);
    expect(headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'retry-after': '1' });
  });
});
