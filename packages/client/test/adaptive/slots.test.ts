import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { MemoryStore, slidingWindow, subscribe } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { type LimitedFetchOptions, limitedFetch } from '../../src/index.js';
import { limitedServer } from '../limited-server.js';

const ORIGIN = 'http://server.example';

/** A client of a server whose answers come when they are told to, or after `takesMs`. */
function clientOf(options: LimitedFetchOptions & { readonly takesMs?: number } = {}) {
  const { takesMs, ...rest } = options;
  const clock = new QueueClock();
  const sent: string[] = [];
  const answers: ((response: Response) => void)[] = [];
  const api = limitedFetch({
    store: new MemoryStore({ clock }),
    // The first call need not be alone: the order is that of the slots.
    limit: slidingWindow({ limit: 1e6, window: '1s' }),
    concurrency: { adaptive: { initial: 1, max: 1 } },
    fetch: async (input) => {
      sent.push(new URL(String(input)).pathname.slice(1));
      if (takesMs === undefined) return new Promise<Response>((resolve) => answers.push(resolve));
      await clock.sleep(takesMs);
      return new Response('text');
    },
    ...rest,
  });
  const call = async (path: string, init?: Parameters<typeof api>[1]): Promise<string> =>
    (await api(`${ORIGIN}/${path}`, init)).text();
  const state = () => api.concurrency(ORIGIN);
  return { api, call, clock, sent, answers, state };
}

/** Lets everything go on that can. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await turnOfTheLoop();
}

describe('calls that wait for a slot of an adaptive concurrency', () => {
  it('are sent in the order in which they came', async () => {
    const { call, clock, sent } = clientOf({ takesMs: 10 });
    await runByClock(clock, Promise.all(['a', 'b', 'c', 'd'].map((path) => call(path))));
    expect(sent).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are not overtaken by those that come later', async () => {
    const { call, answers, sent } = clientOf();
    const calls = [call('a'), call('b')];
    await settle();
    answers[0]?.(new Response('text'));
    await calls[0];
    calls.push(call('c'));
    await settle();
    expect(sent).toEqual(['a', 'b']);
    answers[1]?.(new Response('text'));
    await calls[1];
    await settle();
    answers[2]?.(new Response('text'));
    await calls[2];
    expect(sent).toEqual(['a', 'b', 'c']);
  });

  it('are refused when `maxWait` is over, and are not sent', async () => {
    const { call, clock, sent, state } = clientOf({ takesMs: 5000 });
    const first = call('a');
    await settle();
    const startMs = clock.now();
    const second = call('b', { sluice: { maxWait: '2s' } }).catch((error) => ({ error, ms: clock.now() - startMs }));
    expect(await runByClock(clock, second)).toMatchObject({ error: { code: 'SLUICE_REFUSED' }, ms: 2000 });
    const at = call('c', { sluice: { maxWait: 0 } });
    await expect(at).rejects.toMatchObject({ code: 'SLUICE_REFUSED', retryAfterMs: 1 });
    await runByClock(clock, first);
    expect([sent, state()]).toEqual([['a'], { limit: 1, inFlight: 0, waiting: 0 }]);
  });

  it('leave the line when their signal aborts, with its reason', async () => {
    const { call, answers, sent, state } = clientOf();
    const first = call('a');
    const aborter = new AbortController();
    const second = call('b', { signal: aborter.signal });
    const third = call('c');
    await settle();
    expect(state()).toEqual({ limit: 1, inFlight: 1, waiting: 2 });
    aborter.abort(new Error('not needed'));
    await expect(second).rejects.toThrow('not needed');
    expect(state()).toEqual({ limit: 1, inFlight: 1, waiting: 1 });
    answers[0]?.(new Response('text'));
    await first;
    await settle();
    answers[1]?.(new Response('text'));
    await third;
    expect([sent, state()]).toEqual([['a', 'c'], { limit: 1, inFlight: 0, waiting: 0 }]);
  });

  it('give a slot back that they get at the moment when their signal aborts', async () => {
    const aborter = new AbortController();
    const clock = new QueueClock();
    const { call, answers, sent } = clientOf({
      store: new MemoryStore({
        clock: {
          now: () => clock.now(),
          // The sleep of a call that waits ends when it gets its slot.
          sleep: (ms, ended) => {
            ended?.addEventListener('abort', () => aborter.abort(new Error('not needed')), { once: true });
            return clock.sleep(ms, ended);
          },
        },
      }),
    });
    const first = call('a');
    const second = call('b', { signal: aborter.signal });
    await settle();
    answers[0]?.(new Response('text'));
    await first;
    await expect(second).rejects.toThrow('not needed');
    const third = call('c');
    await settle();
    expect(sent).toEqual(['a', 'c']);
    answers[1]?.(new Response('text'));
    await third;
  });

  it('wait at most a quarter of an hour for an answer that nobody reads', async () => {
    const clock = new QueueClock();
    const api = limitedFetch({
      store: new MemoryStore({ clock }),
      concurrency: { adaptive: { max: 1 } },
      maxWait: '1h',
      fetch: async () => new Response('text'),
    });
    await api(ORIGIN);
    const startMs = clock.now();
    await runByClock(clock, api(ORIGIN), 5000);
    expect(clock.now() - startMs).toBe(15 * 60_000);
  });

  it('do not wait for the slots of another key', async () => {
    const { api, call, answers, sent } = clientOf();
    const calls = [call('a'), api('http://other.example/b')];
    await settle();
    expect(sent).toEqual(['a', 'b']);
    for (const answer of answers) answer(new Response('text'));
    await Promise.all(calls);
  });
});

describe('the slot of a call that fails', () => {
  it('is taken for as long as a success takes, so that a server that fails at once gets no more than others', async () => {
    const clock = new QueueClock();
    const sentMs: number[] = [];
    const api = limitedFetch({
      store: new MemoryStore({ clock }),
      concurrency: { adaptive: { max: 1 } },
      retry: false,
      fetch: async () => {
        if (sentMs.push(clock.now()) > 1) return new Response(null, { status: 503 });
        await clock.sleep(80);
        return new Response('text');
      },
    });
    const call = async (): Promise<unknown> => (await api(ORIGIN)).text();
    await runByClock(clock, Promise.all(Array.from({ length: 5 }, call)));
    expect(sentMs.map((ms) => ms - (sentMs[0] as number))).toEqual([0, 80, 160, 240, 320]);
  });

  it('is free while the call waits for its retry', async () => {
    const statuses = [503, 200];
    const { call, clock } = clientOf({
      retry: { base: '10s' },
      fetch: async () => new Response('text', { status: statuses.shift() ?? 200 }),
    });
    const [retried, other] = [call('a'), call('b')];
    await other;
    expect(await runByClock(clock, retried)).toBe('text');
  });
});

describe('a server that says when to come again', () => {
  /** Calls at once. The server refuses those that it is told to. */
  async function played(isRefused: (call: number) => boolean, calls = 8) {
    const clock = new QueueClock();
    const startMs = clock.now();
    const sentMs: number[] = [];
    const api = limitedFetch({
      store: new MemoryStore({ clock }),
      concurrency: { adaptive: { initial: 4, max: 4 } },
      random: () => 0,
      maxWait: '1h',
      fetch: async () => {
        const call = sentMs.push(clock.now() - startMs);
        await clock.sleep(50);
        return isRefused(call)
          ? new Response(null, { status: 503, headers: { 'retry-after': '20' } })
          : new Response('text');
      },
    });
    const call = async (): Promise<number> => {
      const response = await api(ORIGIN);
      await response.text();
      return response.status;
    };
    const statuses = await runByClock(clock, Promise.all(Array.from({ length: calls }, call)));
    return { statuses, early: sentMs.filter((ms) => ms < 20_000).length, sentMs };
  }

  it('to one call of several stops that call alone, and it comes again when it was told to', async () => {
    const { statuses, early, sentMs } = await played((call) => call === 3);
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(early).toBe(8);
    expect(sentMs.at(-1)).toBe(20_100);
  });

  it('to the first call stops all', async () => {
    const { statuses, early } = await played((call) => call === 1);
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(early).toBe(1);
  });

  it('to every call stops all, as soon as a smaller concurrency does not help', async () => {
    const { statuses, early } = await played((call) => call > 2 && call <= 8, 40);
    expect(statuses).toEqual(statuses.map(() => 200));
    // The first alone, four, and then three.
    expect(early).toBe(8);
  });
});

describe('learned limits', () => {
  it('are kept as without an adaptive concurrency, which does not grow while they make calls wait', async () => {
    const clock = new QueueClock();
    const server = limitedServer(clock, { limit: 10, window: '1s' });
    const api = limitedFetch({
      store: new MemoryStore({ clock }),
      concurrency: 'adaptive',
      fetch: async (...args) => {
        await clock.sleep(20);
        return server.fetch(...args);
      },
    });
    const call = async (): Promise<unknown> => (await api(ORIGIN)).text();
    await runByClock(clock, Promise.all(Array.from({ length: 100 }, call)));
    expect(server.statuses).toEqual(new Map([[200, 100]]));
    expect(api.concurrency(ORIGIN)?.limit).toBeLessThanOrEqual(16);
  });
});

describe('the state of an adaptive concurrency', () => {
  it('is undefined for a key that was not called, and without the option', async () => {
    const { api, call } = clientOf({ takesMs: 0 });
    expect(api.concurrency(ORIGIN)).toBeUndefined();
    await call('a');
    expect(api.concurrency('http://other.example')).toBeUndefined();
    const plain = limitedFetch({ fetch: async () => new Response('text'), concurrency: 3 });
    await (await plain(ORIGIN)).text();
    expect(plain.concurrency(ORIGIN)).toBeUndefined();
  });

  it('is published when it shrinks, and when it has grown by a fifth', async () => {
    const limits: number[] = [];
    const stop = subscribe('sluice:concurrency', ({ policy, key, limit, inFlight, waiting }) => {
      expect([policy, inFlight >= 1, waiting >= 0]).toEqual(['published', true, true]);
      expect(key).not.toContain('server');
      limits.push(limit);
    });
    let status = 200;
    const clock = new QueueClock();
    const api = limitedFetch({
      name: 'published',
      store: new MemoryStore({ clock }),
      concurrency: { adaptive: { initial: 4, max: 7 } },
      retry: false,
      fetch: async () => {
        await clock.sleep(20);
        return new Response(null, { status });
      },
    });
    const round = (): Promise<unknown> => runByClock(clock, Promise.all(Array.from({ length: 8 }, () => api(ORIGIN))));
    await round();
    await round();
    status = 503;
    await round();
    stop();
    expect(limits).toEqual([5, 6, 3, 1]);
  });
});
