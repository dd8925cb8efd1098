import { describe, expect, it } from '@jest/globals';
import { MemoryStore, slidingWindow } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { type LimitedFetchOptions, limitedFetch } from '../src/index.js';
import { type Scripted, ScriptedFetch } from './scripted-fetch.js';
import { StoreView } from './store-view.js';

const URL = 'http://server.example/';

describe('a server that asks to stop', () => {
  it.each([429, 503, 529])('by %d is not called for as long by any of four processes', async (status) => {
    const clock = new QueueClock();
    const random = seededRandom(status);
    const stop: Scripted = { status, headers: { 'retry-after': '30' } };
    const server = new ScriptedFetch(clock, ...Array.from({ length: 20 }, () => 200), stop, 200);
    const memory = new MemoryStore({ clock });
    const backMs: (number | undefined)[] = [undefined, undefined, undefined, undefined];
    let stoppedMs = Number.POSITIVE_INFINITY;
    const apis = backMs.map((_, process) =>
      limitedFetch({
        store: new StoreView(memory, clock),
        random,
        fetch: async (input, init) => {
          if (clock.now() > stoppedMs) backMs[process] ??= clock.now() - stoppedMs;
          const response = await server.fetch(input, init);
          if (response.status === status) stoppedMs = clock.now();
          return response;
        },
      }),
    );
    const worker = async (api: (typeof apis)[number]): Promise<void> => {
      while (clock.now() < stoppedMs + 40_000) {
        await api(URL);
        await clock.sleep(100 + Math.round(random() * 100));
      }
    };
    await runByClock(clock, Promise.all(apis.map(worker)), 50);
    for (const ms of backMs) {
      expect(ms).toBeGreaterThanOrEqual(30_000);
      expect(ms).toBeLessThanOrEqual(34_000);
    }
  });

  it('stops the process even if the store cannot tell the others', async () => {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, { status: 503, headers: { 'retry-after': '30' } }, 200);
    const store = new StoreView(new MemoryStore({ clock }), clock);
    store.blocks.block = () => Promise.reject(new Error('the store is down'));
    const api = limitedFetch({ fetch: server.fetch, store, random: () => 0 });
    expect((await runByClock(clock, api(URL))).status).toBe(200);
    expect(server.arrivalsMs.map((ms) => ms - (server.arrivalsMs[0] as number))).toEqual([0, 30_000]);
    await expect(
      limitedFetch({ fetch: server.fetch, store, name: 'other', retry: false, maxWait: 0 })(URL),
    ).resolves.toMatchObject({ status: 200 });
  });

  it('in its first answer is heard by all calls that wait for that answer, even if the store fails', async () => {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, { status: 429, headers: { 'retry-after': '30' } }, 200);
    const store = new StoreView(new MemoryStore({ clock }), clock);
    store.blocks.block = () => Promise.reject(new Error('the store is down'));
    const api = limitedFetch({ fetch: server.fetch, store, random: () => 0 });
    await runByClock(clock, Promise.all(Array.from({ length: 10 }, () => api(URL))), 100);
    expect(server.arrivalsMs.filter((ms) => ms < (server.arrivalsMs[0] as number) + 30_000)).toHaveLength(1);
  });

  it('for longer than before is obeyed by calls that wait already, even if the store fails', async () => {
    const clock = new QueueClock();
    const store = new StoreView(new MemoryStore({ clock }), clock);
    store.blocks.block = () => Promise.reject(new Error('the store is down'));
    const sentMs: number[] = [];
    const startMs = clock.now();
    const api = limitedFetch({
      store,
      random: () => 0,
      limit: slidingWindow({ limit: 100, window: '1s' }),
      fetch: async () => {
        const call = sentMs.push(clock.now() - startMs);
        if (call > 2) return new Response('fine');
        await clock.sleep(call * 1000);
        return new Response('later', { status: 503, headers: { 'retry-after': `${call * 10}` } });
      },
    });
    await runByClock(clock, Promise.all([api(URL), api(URL)]), 100);
    // After one second it says ten seconds, and after two it says twenty.
    expect(sentMs).toEqual([0, 0, 22_000, 22_000]);
  });

  it('for too long can be lifted, in all processes', async () => {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, { status: 429, headers: { 'retry-after': '1000000' } }, 200);
    const memory = new MemoryStore({ clock });
    const views = [new StoreView(memory, clock), new StoreView(memory, clock)];
    const [one, other] = views.map((store) => limitedFetch({ fetch: server.fetch, store, retry: false, maxWait: 0 }));
    expect((await one?.(URL))?.status).toBe(429);
    await expect(other?.(URL)).rejects.toMatchObject({ code: 'SLUICE_REFUSED' });
    expect(await other?.unblock('http://server.example')).toBe(true);
    expect(await other?.unblock('http://server.example')).toBe(false);
    expect((await one?.(URL))?.status).toBe(200);
  });

  it.each<[what: string, headers: Record<string, string>, leastMs: number]>([
    ['a time', { 'retry-after': '30' }, 30_000],
    ['nothing left', { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' }, 20_000],
  ])('by a 403 with %s stops its key, and is sent again', async (_what, headers, leastMs) => {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, { status: 403, headers }, 200);
    const api = limitedFetch({ fetch: server.fetch, store: new MemoryStore({ clock }), random: () => 0 });
    const [first, second] = await runByClock(clock, Promise.all([api(URL), api(URL)]), 100);
    expect([first?.status, second?.status]).toEqual([200, 200]);
    const sentMs = server.arrivalsMs.map((ms) => ms - (server.arrivalsMs[0] as number));
    expect(sentMs.slice(1).every((ms) => ms >= leastMs)).toBe(true);
    expect(sentMs).toHaveLength(3);
  });

  it('by a 403 with a time does not send a POST again', async () => {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, { status: 403, headers: { 'retry-after': '30' } }, 200);
    const api = limitedFetch({ fetch: server.fetch, store: new MemoryStore({ clock }), random: () => 0 });
    expect((await api(URL, { method: 'POST' })).status).toBe(403);
    expect(server.calls).toBe(1);
  });

  it('by other statuses stops only the call itself', async () => {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, { status: 500, headers: { 'retry-after': '30' } }, 200);
    const api = limitedFetch({ fetch: server.fetch, store: new MemoryStore({ clock }), random: () => 0 });
    const first = api(URL);
    await clock.untilSleeping(1);
    expect((await api(URL)).status).toBe(200);
    expect((await runByClock(clock, first, 1000)).status).toBe(200);
    expect(server.arrivalsMs.map((ms) => ms - (server.arrivalsMs[0] as number))).toEqual([0, 0, 30_000]);
  });

  it('by fields that state no limit is not called before it has something left', async () => {
    const clock = new QueueClock();
    const nothingLeft = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' };
    const server = new ScriptedFetch(clock, { status: 200, headers: nothingLeft }, 200);
    const api = limitedFetch({ fetch: server.fetch, store: new MemoryStore({ clock }) });
    await runByClock(clock, Promise.all([api(URL), api(URL)]));
    expect((server.arrivalsMs[1] as number) - (server.arrivalsMs[0] as number)).toBeGreaterThanOrEqual(20_000);
  });
});

describe('a server that lies', () => {
  const YEAR_S = 366 * 86_400;
  const lies: readonly [what: string, headers: Record<string, string>][] = [
    ['nothing left for a year', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${YEAR_S}` }],
    ['nothing left of a year', { 'ratelimit-policy': `"a";q=100;w=${YEAR_S}`, ratelimit: `"a";r=0;t=${YEAR_S}` }],
    ['a call a year', { 'ratelimit-policy': `"a";q=1;w=${YEAR_S}` }],
    ['a limit of 0 for a year', { 'ratelimit-policy': `"a";q=0;w=${YEAR_S}`, ratelimit: `"a";r=0;t=${YEAR_S}` }],
  ];
  const HOUR_MS = 3_600_000;

  /** A client of a server that states this once, and nothing later. */
  function liedTo(headers: Record<string, string>, options: LimitedFetchOptions = {}) {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, { status: 200, headers }, 200);
    return { clock, server, api: limitedFetch({ fetch: server.fetch, store: new MemoryStore({ clock }), ...options }) };
  }

  it.each(lies)('by %s is believed for an hour', async (_what, headers) => {
    for (const pace of ['burst', 'even'] as const) {
      const { clock, server, api } = liedTo(headers, { pace });
      await api(URL);
      await expect(api(URL)).rejects.toMatchObject({ code: 'SLUICE_REFUSED', retryAfterMs: HOUR_MS });
      clock.advance(HOUR_MS);
      await Promise.all(Array.from({ length: 5 }, () => api(URL)));
      expect(server.calls).toBe(6);
    }
  });

  it.each(lies)('by %s lets a patient call go after an hour', async (_what, headers) => {
    const { clock, server, api } = liedTo(headers, { maxWait: '2h' });
    await api(URL);
    await runByClock(clock, api(URL), 10_000);
    expect((server.arrivalsMs[1] as number) - (server.arrivalsMs[0] as number)).toBe(HOUR_MS);
  });

  it('again after an hour gets one call in each hour', async () => {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, { status: 429, headers: lies[1]?.[1] ?? {} });
    const api = limitedFetch({ fetch: server.fetch, store: new MemoryStore({ clock }), retry: false });
    for (let hour = 1; hour <= 3; hour += 1) {
      await Promise.allSettled(Array.from({ length: 5 }, () => api(URL)));
      expect(server.calls).toBe(hour);
      clock.advance(HOUR_MS);
    }
  });

  it('does not end a limit of your own', async () => {
    const { clock, api } = liedTo(lies[1]?.[1] ?? {}, { limit: slidingWindow({ limit: 1, window: '1d' }) });
    await api(URL);
    clock.advance(HOUR_MS);
    await expect(api(URL)).rejects.toMatchObject({ retryAfterMs: 23 * HOUR_MS });
  });

  it.each(lies)('by %s is forgotten by `forget`', async (_what, headers) => {
    const { server, api } = liedTo(headers, { maxWait: 0 });
    await api(URL);
    expect(await api.forget('http://server.example')).toBe(true);
    await Promise.all(Array.from({ length: 5 }, () => api(URL, { sluice: { maxWait: '1s' } })));
    expect(server.calls).toBe(6);
  });

  it('about a time to wait is obeyed, until `forget`', async () => {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, { status: 429, headers: { 'retry-after': '1000000' } }, 200);
    const options = { store: new MemoryStore({ clock }), retry: false, maxWait: 0 } as const;
    const api = limitedFetch({ ...options, fetch: server.fetch, limit: slidingWindow({ limit: 1, window: '1d' }) });
    await api(URL);
    clock.advance(2 * HOUR_MS);
    await expect(api(URL)).rejects.toMatchObject({ code: 'SLUICE_REFUSED' });
    expect(await api.forget('http://server.example')).toBe(true);
    expect(await api.forget('http://server.example')).toBe(false);
    // The count of a limit of its own is gone, too.
    expect((await api(URL)).status).toBe(200);
  });
});
