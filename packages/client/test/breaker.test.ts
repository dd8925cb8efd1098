import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore, slidingWindow } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { until } from '@sluice/test-kit/until';
import { type LimitedFetchOptions, limitedFetch } from '../src/index.js';
import { type Scripted, ScriptedFetch } from './scripted-fetch.js';
import { ScriptedServer } from './scripted-server.js';
import { TRANSPORTS } from './transports.js';

const URL = 'http://server.example/';
const SILENT = new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });

function clientOf(answers: readonly Scripted[], options: LimitedFetchOptions = {}) {
  const clock = new QueueClock();
  const server = new ScriptedFetch(clock, ...answers);
  const store = new MemoryStore({ clock });
  const api = limitedFetch({ fetch: server.fetch, store, retry: false, random: () => 0, ...options });
  return { clock, server, api };
}

/** The codes of so many calls at once; a status for those that have an answer, and the class of other errors. */
async function endsOf(api: (url: string) => Promise<Response>, count: number): Promise<readonly (string | number)[]> {
  const ends = await Promise.allSettled(Array.from({ length: count }, () => api(URL)));
  return ends.map((end) => (end.status === 'fulfilled' ? end.value.status : (end.reason.code ?? end.reason.name)));
}

function count<T>(ends: readonly T[], end: T): number {
  return ends.filter((one) => one === end).length;
}

describe.each(TRANSPORTS)('a dead port, over $name', ({ open }) => {
  const opened: { close(): unknown }[] = [];

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  it('gets five attempts of 60 calls, and later one at a time', async () => {
    const clock = new QueueClock();
    const server = await ScriptedServer.open(clock);
    const { origin } = server;
    server.close();
    const sender = open({ store: new MemoryStore({ clock }), random: () => 0.5 });
    opened.push(sender);
    const codes = async (): Promise<readonly string[]> => {
      const calls = Array.from({ length: 60 }, () => sender.send(origin).catch((error) => error));
      const errors = (await runByClock(clock, Promise.all(calls))) as { code?: string; cause?: { code?: string } }[];
      return errors.map(({ code, cause }) => cause?.code ?? code ?? '');
    };
    expect(count(await codes(), 'ECONNREFUSED')).toBeLessThanOrEqual(5);
    clock.advance('1100ms');
    expect(count(await codes(), 'ECONNREFUSED')).toBe(1);
  });
});

describe('a server that does not answer', () => {
  it.each<[what: string, options: LimitedFetchOptions]>([
    ['a client that learns', {}],
    ['a client with a limit of its own', { limit: slidingWindow({ limit: 100, window: '1s' }) }],
    ['a client with an adaptive concurrency and a breaker', { concurrency: 'adaptive', breaker: {} }],
  ])('is called five times by %s', async (_what, options) => {
    const { api, server, clock } = clientOf([SILENT], options);
    const ends = await runByClock(clock, endsOf(api, 60), 100);
    expect([server.calls, count(ends, 'TypeError'), count(ends, 'SLUICE_UNAVAILABLE')]).toEqual([5, 5, 55]);
  });

  it('is tried again after 1 s, and after twice as long each time, up to 30 s', async () => {
    const { api, server, clock } = clientOf([SILENT]);
    await endsOf(api, 10);
    const pausesMs: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      const error = await api(URL).catch((reason) => reason);
      expect(error).toMatchObject({ code: 'SLUICE_UNAVAILABLE' });
      pausesMs.push(error.retryAfterMs);
      clock.advance(error.retryAfterMs);
      expect(count(await endsOf(api, 10), 'TypeError')).toBe(1);
    }
    expect(pausesMs).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(server.calls).toBe(5 + 7);
  });

  it('gets all calls again after its first answer', async () => {
    const { api, server, clock } = clientOf([SILENT, SILENT, SILENT, SILENT, SILENT, 200]);
    await endsOf(api, 10);
    clock.advance(1000);
    expect(count(await endsOf(api, 10), 200)).toBe(1);
    expect(await endsOf(api, 10)).toEqual(Array(10).fill(200));
    expect(server.calls).toBe(5 + 1 + 10);
  });

  it('is another matter than one that answers by errors, or refuses for a limit', async () => {
    for (const status of [500, 404, 429]) {
      const { api, server } = clientOf([{ status, headers: { 'x-ratelimit-limit': '5' } }]);
      await endsOf(api, 60);
      expect(server.calls).toBe(60);
    }
  });

  it('is tried by another call if the one that tries is aborted', async () => {
    const clock = new QueueClock();
    let calls = 0;
    const api = limitedFetch({
      store: new MemoryStore({ clock }),
      retry: false,
      random: () => 0,
      fetch: async (_input, init) => {
        calls += 1;
        if (calls === 6) await clock.sleep(60_000, init?.signal ?? undefined);
        if (calls <= 6) throw SILENT;
        return new Response('fine');
      },
    });
    await endsOf(api, 10);
    clock.advance(1000);
    const controller = new AbortController();
    const probe = api(URL, { signal: controller.signal });
    await until(() => calls === 6);
    await expect(api(URL)).rejects.toMatchObject({ code: 'SLUICE_UNAVAILABLE' });
    controller.abort(new Error('not needed'));
    await expect(probe).rejects.toThrow('not needed');
    expect((await api(URL)).status).toBe(200);
  });

  it('is not called more often because calls were aborted, nor given up for that', async () => {
    const clock = new QueueClock();
    const api = limitedFetch({
      store: new MemoryStore({ clock }),
      retry: false,
      fetch: async (_input, init) => {
        await clock.sleep(10, init?.signal ?? undefined);
        return new Response('fine');
      },
    });
    for (let i = 0; i < 10; i += 1) {
      const controller = new AbortController();
      const call = api(URL, { signal: controller.signal });
      await turnOfTheLoop();
      controller.abort();
      await expect(call).rejects.toThrow();
    }
    expect((await runByClock(clock, api(URL))).status).toBe(200);
  });

  it('ends the retries of a call with the last error', async () => {
    const { api, server, clock } = clientOf([SILENT], { retry: { attempts: 10 } });
    await expect(runByClock(clock, api(URL))).rejects.toBe(SILENT);
    expect(server.calls).toBe(5);
  });

  it('belongs to one key, and is forgotten by `forget`', async () => {
    const { api, server } = clientOf([SILENT, SILENT, SILENT, SILENT, SILENT, 200]);
    await endsOf(api, 10);
    expect((await api('http://other.example/')).status).toBe(200);
    await api.forget('http://server.example');
    expect((await api(URL)).status).toBe(200);
    expect(server.calls).toBe(7);
  });

  it('is called as often as others with `breaker: false`', async () => {
    const { api, server } = clientOf([SILENT], { breaker: false });
    await endsOf(api, 60);
    expect(server.calls).toBe(60);
  });

  it('is called by one call after the other, and none is refused, with an adaptive concurrency alone', async () => {
    const { api, clock } = clientOf([SILENT], { concurrency: 'adaptive' });
    const ends = await runByClock(clock, endsOf(api, 60), 100);
    expect(count(ends, 'SLUICE_UNAVAILABLE')).toBe(0);
  });

  it('has the numbers of the options', async () => {
    const { api, server, clock } = clientOf([SILENT], { breaker: { failures: 2, pause: '5s', longestPause: '6s' } });
    expect(count(await endsOf(api, 10), 'SLUICE_UNAVAILABLE')).toBe(8);
    for (const retryAfterMs of [5000, 6000]) {
      await expect(api(URL)).rejects.toMatchObject({ retryAfterMs });
      clock.advance(retryAfterMs);
      await expect(api(URL)).rejects.toBe(SILENT);
    }
    expect(server.calls).toBe(4);
  });

  it('is not called through a limiter of your own either', async () => {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, SILENT);
    const limiter = createLimiter<string>({
      store: new MemoryStore({ clock }),
      limit: slidingWindow({ limit: 100, window: '1s' }),
      keyGenerator: (key) => key,
    });
    const api = limitedFetch<string>({
      limiter,
      subject: () => 'one',
      key: (key) => key,
      fetch: server.fetch,
      clock,
      retry: false,
    });
    const ends = await runByClock(clock, endsOf(api, 60), 100);
    expect([server.calls, count(ends, 'SLUICE_UNAVAILABLE')]).toEqual([5, 55]);
    // What was not sent was not counted.
    expect(limiter.peek('one').tightest.used).toBe(5);
  });
});

describe('a server that refuses for its load', () => {
  /** Sends so many calls, one after the other, ten a second, to a server that does so many of them in a second. */
  async function sentOf(calls: number, perSecond: number, options: LimitedFetchOptions = {}): Promise<number> {
    const clock = new QueueClock();
    const random = seededRandom(7);
    let sent = 0;
    let done = 0;
    const startMs = clock.now();
    const api = limitedFetch({
      store: new MemoryStore({ clock }),
      retry: false,
      random,
      fetch: async () => {
        sent += 1;
        const isDone = done <= ((clock.now() - startMs) / 1000) * perSecond;
        if (isDone) done += 1;
        return new Response('text', { status: isDone ? 200 : 503 });
      },
      ...options,
    });
    for (let i = 0; i < calls; i += 1) {
      await api(URL).catch(({ code }) => expect(code).toBe('SLUICE_UNAVAILABLE'));
      clock.advance(100);
    }
    return sent;
  }

  it.each([
    [10, 1],
    [6, 1],
    // Twice as many as it does.
    [2.5, 0.5],
  ])('and does %d of ten calls a second gets %d of them', async (perSecond, share) => {
    const sent = await sentOf(1000, perSecond);
    expect(Math.abs(sent / 1000 - share)).toBeLessThan(0.06);
  });

  it('and accepts none gets few of them', async () => {
    expect(await sentOf(1000, 0)).toBeLessThan(40);
  });

  it('and accepts none gets all of them with `ratio: false`', async () => {
    expect(await sentOf(200, 0, { breaker: { ratio: false } })).toBe(200);
  });

  it('is given two minutes at most: then nothing is known of it', async () => {
    const { api, server, clock } = clientOf([503]);
    for (let i = 0; i < 25; i += 1) await api(URL).catch(() => {});
    expect(server.calls).toBe(20);
    clock.advance('2m');
    await api(URL);
    expect(server.calls).toBe(21);
  });
});

it.each<[path: string, breaker: unknown]>([
  ['breaker.failures', { failures: 0 }],
  ['breaker.pause', { pause: 'soon' }],
  ['breaker.longestPause', { pause: '1m', longestPause: '1s' }],
  ['breaker.ratio', { ratio: 0.5 }],
  ['breaker.retries', { retries: 1 }],
])('the option %s is checked', (path, breaker) => {
  expect(() => limitedFetch({ breaker: breaker as never })).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path }),
  );
});
