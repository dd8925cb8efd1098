import { describe, expect, it } from '@jest/globals';
import { concurrency, createLimiter, everyone, MemoryStore, slidingWindow } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { type ChargedCall, type GivenLimiterOptions, limitedFetch } from '../src/index.js';
import { type Scripted, ScriptedFetch } from './scripted-fetch.js';

const URL = 'http://server.example/';

interface Call {
  readonly account: string;
  readonly words: number;
}

/** A client over a limiter of 100 words a minute, two calls at once, which counts by account. */
function clientOf(answers: readonly Scripted[], options: Partial<GivenLimiterOptions<Call>> = {}) {
  const clock = new QueueClock();
  const server = new ScriptedFetch(clock, ...answers);
  const limiter = createLimiter<Call>({
    store: new MemoryStore({ clock }),
    keyGenerator: ({ account }) => account,
    limits: [
      { name: 'words', limit: slidingWindow({ limit: 100, window: '1m' }), cost: ({ words }) => words },
      { name: 'parallel', limit: concurrency({ limit: 2, lease: '30s' }) },
    ],
  });
  const api = limitedFetch<Call>({
    limiter,
    subject: (_input, { body }) => ({ account: 'ann', words: `${body}`.split(' ').length }),
    key: ({ account }) => account,
    fetch: server.fetch,
    retry: false,
    maxWait: 0,
    random: () => 0.5,
    clock,
    ...options,
  });
  const say = (words: number) => api(URL, { method: 'POST', body: Array(words).fill('word').join(' ') });
  return { clock, server, limiter, api, say };
}

describe('a fetch over a limiter of your own', () => {
  it('asks it about the subject of the call', async () => {
    const { server, say } = clientOf([200]);
    await (await say(90)).text();
    await expect(say(20)).rejects.toMatchObject({ code: 'SLUICE_REFUSED', retryAfterMs: 62_999 });
    expect(server.calls).toBe(1);
  });

  it('sends what is prepared for an admitted call, and prepares nothing for another', async () => {
    const prepared: number[] = [];
    const sent: unknown[] = [];
    const { api } = clientOf([], {
      prepare: ({ words }, input, init) => {
        prepared.push(words);
        return { ...init, body: `${String(init.body)} to ${String(input)}` };
      },
      fetch: async (_, init) => {
        sent.push([init?.method, init?.body]);
        return new Response('fine');
      },
    });
    const post = (body: string) => api(URL, { method: 'POST', body });
    await (await post('three short words')).text();
    await expect(post('word '.repeat(99))).rejects.toMatchObject({ code: 'SLUICE_REFUSED' });
    expect(prepared).toEqual([3]);
    expect(sent).toEqual([['POST', `three short words to ${URL}`]]);
  });

  it('waits for its turn, and ends the wait with the signal', async () => {
    const { clock, server, api } = clientOf([200], {
      maxWait: '2m',
      subject: async () => ({ account: 'ann', words: 60 }),
    });
    await (await api(URL)).text();
    const second = api(URL);
    const controller = new AbortController();
    const third = api(URL, { signal: controller.signal });
    await clock.untilSleeping(1);
    controller.abort(new Error('enough'));
    await expect(third).rejects.toThrow('enough');
    await runByClock(clock, second, 1000);
    expect(server.calls).toBe(2);
  });

  it('frees the slots when the body has ended', async () => {
    const { say } = clientOf([200]);
    const [first] = await Promise.all([say(1), say(1)]);
    await expect(say(1)).rejects.toMatchObject({ code: 'SLUICE_REFUSED' });
    await first?.text();
    expect((await say(1)).status).toBe(200);
  });

  it('blocks the key of the subject in the limiter when the server says so', async () => {
    const { limiter, say } = clientOf([{ status: 529, headers: { 'retry-after-ms': '700' } }]);
    expect((await say(1)).status).toBe(529);
    expect(limiter.peek({ account: 'ann', words: 1 })).toMatchObject({ allowed: false, retryAfterMs: 735 });
    expect(limiter.peek({ account: 'bob', words: 1 }).allowed).toBe(true);
  });

  it('lets `charge` settle each call once, with what the server states', async () => {
    const charged: ChargedCall<Call>[] = [];
    const stated = {
      status: 200,
      headers: { 'x-ratelimit-limit-tokens': '100', 'x-ratelimit-remaining-tokens': '10' },
    };
    const reset = new TypeError('reset');
    const { limiter, say } = clientOf([stated, reset], {
      charge: (call) => {
        charged.push(call);
        if (call.response) call.reservation.settle({ words: 5 });
        else call.reservation.cancel();
        return call.response && new Response('another', { status: 203 });
      },
    });
    const answer = await say(90);
    expect([answer.status, await answer.text()]).toEqual([203, 'another']);
    await expect(say(50)).rejects.toBe(reset);
    expect(charged).toMatchObject([
      { subject: { words: 90 }, advice: [{ unit: 'tokens', limit: 100, remaining: 10 }] },
      { subject: { words: 50 }, error: reset, advice: [] },
    ]);
    expect(limiter.peek({ account: 'ann', words: 1 }).verdicts.map(({ used }) => used)).toEqual([5, 0]);
  });

  it('rejects with the error of `charge`, and does not send the call again', async () => {
    const { server, say } = clientOf([500], {
      retry: {},
      charge: () => Promise.reject(new Error('the books are closed')),
    });
    await expect(say(1)).rejects.toThrow('the books are closed');
    expect([server.calls, server.cancelled]).toEqual([1, 1]);
  });

  it('can retry, and each retry asks again', async () => {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, 503, 503, 200);
    const limiter = createLimiter({
      limit: 3,
      window: '1m',
      keyGenerator: everyone(),
      store: new MemoryStore({ clock }),
    });
    const api = limitedFetch({ limiter, subject: () => 'any', key: everyone(), fetch: server.fetch, clock });
    expect((await runByClock(clock, api(URL))).status).toBe(200);
    expect(limiter.peek('any').tightest.used).toBe(3);
  });
});
