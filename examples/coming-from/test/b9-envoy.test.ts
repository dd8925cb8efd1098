import { expect, it } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import request from 'supertest';
import { BUCKET, BY_INTERVAL, createApp, createRollOut } from '../src/b9-envoy.js';
import { describeOnEachStore } from './each-store.js';
import { statuses, times } from './statuses.js';

/** Returns these numbers again and again. */
const cycle = (...values: readonly number[]) => {
  let next = 0;
  return () => values[next++ % values.length] as number;
};

describeOnEachStore((stage) => {
  it('B9: all clients share a hundred tokens, and ten come back per second', async () => {
    const app = createApp({ store: stage.store });
    const get = () => request(app).get('/');
    expect(await statuses(101, get)).toEqual([...times(100, 200), 429]);
    const { headers, text } = await get();
    expect({ header: headers['x-local-rate-limit'], text }).toEqual({ header: 'true', text: 'local_rate_limited' });
    stage.clock.advance('1s');
    expect(await statuses(11, get)).toEqual([...times(10, 200), 429]);
  });

  it('B9: enabled for half of the requests, the others are not counted', async () => {
    const app = createApp({ store: stage.store, enabled: 0.5, random: cycle(0.4, 0, 0.6) });
    expect(await statuses(200, () => request(app).get('/'))).toEqual(times(200, 200));
    expect(await statuses(4, () => request(app).get('/'))).toEqual([429, 200, 429, 200]);
  });

  it('B9: enforced for half of the requests, the others pass, and the application learns of them', async () => {
    const app = createApp({ store: stage.store, enforced: 0.5, random: cycle(0, 0.4, 0, 0.6) });
    const get = () => request(app).get('/');
    expect(await statuses(100, get)).toEqual(times(100, 200));
    expect(await statuses(4, get)).toEqual([429, 200, 429, 200]);
    expect((await get()).status).toBe(429);
    expect((await get()).text).toBe('not enforced');
  });

  it('S9: filter_enabled 100 % without filter_enforced refuses nobody, since that is 0 % by default', async () => {
    const app = createApp({ store: stage.store, enabled: 1, enforced: 0 });
    const get = () => request(app).get('/');
    expect(await statuses(110, get)).toEqual(times(110, 200));
    expect((await get()).text).toBe('not enforced');
  });

  it('S9: with filter_enforced 100 %, the 101st is refused', async () => {
    const app = createApp({ store: stage.store, enabled: 1, enforced: 1 });
    expect(await statuses(101, () => request(app).get('/'))).toEqual([...times(100, 200), 429]);
  });

  it('B9: enforced for a tenth of the clients, the same clients are always refused', async () => {
    const app = createRollOut(stage.store);
    const from = (host: number) => request(app).get('/').set('X-Forwarded-For', `203.0.113.${host}`);
    const hosts = Array.from({ length: 20 }, (_, i) => i + 1);
    const enforced: number[] = [];
    for (const host of hosts) if ((await from(host)).headers.ratelimit) enforced.push(host);
    expect(enforced.length).toBeGreaterThan(0);
    expect(enforced.length).toBeLessThan(8);

    const [refused] = enforced as [number];
    expect(await statuses(100, () => from(refused))).toEqual([...times(99, 200), 429]);
    const spared = hosts.find((host) => !enforced.includes(host)) as number;
    expect(await statuses(101, () => from(spared))).toEqual(times(101, 200));
  });
});

it.each([
  ['continuously', 5, BUCKET],
  ['by the second', 0, BY_INTERVAL],
])('B9: a bucket that is filled %s has %p tokens after half a second', (_, tokens, limit) => {
  const clock = new ManualClock();
  const limiter = createLimiter({ limit, store: new MemoryStore({ clock }) });
  limiter.consume('all', { cost: 100 });
  clock.advance('500ms');
  expect(limiter.peek('all').tightest.remaining).toBe(tokens);
  clock.advance('500ms');
  expect(limiter.peek('all').tightest.remaining).toBe(10);
});
