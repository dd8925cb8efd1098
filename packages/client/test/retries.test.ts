import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { MemoryStore, SluiceError } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { type LimitedFetchOptions, type LimitedRequestInit, limitedFetch } from '../src/index.js';
import { type Scripted, ScriptedFetch } from './scripted-fetch.js';

const IS_FULL = process.env.SLUICE_CLIENT === 'full';
const URL = 'http://server.example/things';
const REFUSED_CONNECTION = new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });

/** A client of a server that answers as it is told. Its random numbers are 0.5. */
function clientOf(answers: readonly Scripted[], options: LimitedFetchOptions = {}) {
  const clock = new QueueClock();
  const server = new ScriptedFetch(clock, ...answers);
  const api = limitedFetch({
    fetch: server.fetch,
    store: new MemoryStore({ clock }),
    random: () => 0.5,
    ...options,
  });
  const call = (init?: LimitedRequestInit) => runByClock(clock, api(URL, init));
  return { clock, server, call };
}

/** The times between the requests that came. */
function pausesOf({ arrivalsMs }: ScriptedFetch): readonly number[] {
  return arrivalsMs.slice(1).map((ms, i) => ms - (arrivalsMs[i] as number));
}

describe('a retry', () => {
  it.each<[what: string, Scripted]>([
    ['408', 408],
    ['429', 429],
    ['500', 500],
    ['502', 502],
    ['503', 503],
    ['504', 504],
    ['529', 529],
    ['a broken connection', REFUSED_CONNECTION],
  ])('follows %s', async (_what, answer) => {
    const { server, call } = clientOf([answer, 200]);
    expect((await call()).status).toBe(200);
    expect(server.calls).toBe(2);
  });

  it('has the header fields of an iterator, as the first request has', async () => {
    const { server, call } = clientOf([503, 200]);
    const fields = new Map([['authorization', 'Bearer token']]).entries();
    // `fetch` takes it, and its type does not say so.
    await call({ headers: fields as unknown as [string, string][] });
    expect(server.fields.map((sent) => sent.get('authorization'))).toEqual(['Bearer token', 'Bearer token']);
  });

  it.each([200, 204, 301, 304, 400, 401, 403, 404, 409, 422, 501, 505])('does not follow %d', async (status) => {
    const { server, call } = clientOf([{ status: status === 204 || status === 304 ? 200 : status }, 200]);
    await call();
    expect(server.calls).toBe(1);
  });

  it.each<[method: string, headers: Record<string, string>, calls: number]>([
    ['GET', {}, 2],
    ['HEAD', {}, 2],
    ['OPTIONS', {}, 2],
    ['PUT', {}, 2],
    ['DELETE', {}, 2],
    ['delete', {}, 2],
    ['QUERY', {}, 2],
    ['POST', {}, 1],
    ['PATCH', {}, 1],
    ['POST', { 'Idempotency-Key': 'a1' }, 2],
  ])('of %s with %j: %d calls', async (method, headers, calls) => {
    const { server, call } = clientOf([503, 200]);
    await call({ method, headers });
    expect(server.calls).toBe(calls);
  });

  it.each<[what: string, body: () => RequestInit['body'], calls: number]>([
    ['text', () => 'text', 2],
    ['bytes', () => new Uint8Array([1, 2]), 2],
    ['a buffer', () => new ArrayBuffer(2), 2],
    ['parameters', () => new URLSearchParams('a=1'), 2],
    ['a blob', () => new Blob(['text']), 2],
    ['a form', () => new FormData(), 2],
    ['a stream', () => new Blob(['text']).stream(), 1],
  ])('of a body that is %s: %d calls', async (_what, body, calls) => {
    const { server, call } = clientOf([503, 200]);
    const sent = body();
    await call({ method: 'PUT', body: sent, duplex: 'half' } as LimitedRequestInit);
    expect(server.calls).toBe(calls);
    expect(server.bodies).toEqual(Array.from({ length: calls }, () => sent));
  });

  it('does not send the body of a Request twice', async () => {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, 503, 200);
    const api = limitedFetch({ fetch: server.fetch, store: new MemoryStore({ clock }) });
    const response = await runByClock(clock, api(new Request(URL, { method: 'PUT', body: 'text' })));
    expect([response.status, server.calls]).toEqual([503, 1]);
    expect((await runByClock(clock, api(new Request(URL)))).status).toBe(200);
  });

  it('waits with full jitter, and twice as long each time, where the server states no time', async () => {
    const { server, call } = clientOf([503, 503, 503, 200], { retry: { attempts: 4, base: '1s' } });
    await call();
    expect(pausesOf(server)).toEqual([500, 1000, 2000]);
  });

  it.each(['0', 'Thu, 01 Jan 2026 00:00:00 GMT'])('is sent at once if the server says %s', async (time) => {
    const answer = { status: 503, headers: { 'retry-after': time, date: 'Thu, 01 Jan 2026 00:00:01 GMT' } };
    const { server, call } = clientOf([answer, answer, 200], { retry: { base: '10s' } });
    expect((await call()).status).toBe(200);
    expect(pausesOf(server)).toEqual([0, 0]);
  });

  it('waits as long as the server says and up to a tenth more, whatever the longest pause is', async () => {
    const retryAfter = { status: 503, headers: { 'retry-after': '40' } };
    const { server, call } = clientOf([retryAfter, 200]);
    expect((await call()).status).toBe(200);
    expect(pausesOf(server)).toEqual([42_000]);
  });

  it('does as often as `attempts` says, and then hands the last answer on unread', async () => {
    const { server, call } = clientOf([500], { retry: { attempts: 5 } });
    const response = await call();
    expect([response.status, server.calls, server.cancelled]).toEqual([500, 5, 4]);
    await expect(response.text()).resolves.toBe('body');
  });

  it('reads a short answer that you do not get to its end, so that the connection can be used again', async () => {
    const { server, call } = clientOf([{ status: 503, headers: { 'content-length': '4' } }, 200]);
    expect((await call()).status).toBe(200);
    expect(server.cancelled).toBe(0);
  });

  it('does not read on where a short answer becomes a long one, as a compressed one can', async () => {
    let chunks = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        chunks += 1;
        if (chunks > 100) return controller.close();
        controller.enqueue(new Uint8Array(16_384));
      },
    });
    const answers = [new Response(endless, { status: 503, headers: { 'content-length': '100' } })];
    const api = limitedFetch({ fetch: async () => answers.shift() ?? new Response('fine'), random: () => 0 });
    expect((await api(URL)).status).toBe(200);
    for (let i = 0; i < 100; i += 1) await turnOfTheLoop();
    expect(chunks).toBeLessThan(10);
  });

  it('gets the same init, whose members may be those of its class', async () => {
    class Init {
      get method() {
        return 'PUT';
      }
    }
    const inits: unknown[] = [];
    const api = limitedFetch({
      fetch: async (_input, init) => {
        inits.push(init);
        return new Response('fine', { status: inits.length === 1 ? 503 : 200 });
      },
      random: () => 0,
    });
    const init = new Init();
    await api(URL, init);
    expect(inits).toEqual([init, init]);
    expect(inits[0]).toBe(init);
  });

  it('is not made with retry: false', async () => {
    const { server, call } = clientOf([REFUSED_CONNECTION], { retry: false });
    await expect(call()).rejects.toBe(REFUSED_CONNECTION);
    expect(server.calls).toBe(1);
  });

  it('rejects with the error of the last attempt', async () => {
    const last = new TypeError('fetch failed');
    const { server, call } = clientOf([REFUSED_CONNECTION, 503, last]);
    await expect(call()).rejects.toBe(last);
    expect([server.calls, server.cancelled]).toEqual([3, 1]);
  });
});

describe('maxWait', () => {
  const inAnHour = { status: 429, headers: { 'retry-after': '3600' } };

  it('hands an answer on at once if the server wants a longer wait, and refuses further calls', async () => {
    const { clock, server, call } = clientOf([inAnHour]);
    const startMs = clock.now();
    const response = await call();
    expect([response.status, await response.text()]).toEqual([429, 'body']);
    await expect(call()).rejects.toMatchObject({ code: 'SLUICE_REFUSED', retryAfterMs: 3_780_000 });
    expect([server.calls, server.cancelled, clock.now() - startMs]).toEqual([1, 0, 0]);
  });

  it('does not begin a pause of its own that would be longer', async () => {
    const { clock, server, call } = clientOf([500], { retry: { base: '30s' }, maxWait: '5s' });
    const startMs = clock.now();
    expect((await call()).status).toBe(500);
    expect([server.calls, clock.now() - startMs]).toEqual([1, 0]);
  });

  it('can be set for a call', async () => {
    const { server, call } = clientOf([{ status: 429, headers: { 'retry-after': '100' } }, 200]);
    expect((await call({ sluice: { maxWait: '2m' } })).status).toBe(200);
    expect(pausesOf(server)).toEqual([105_000]);
  });

  it('counts all waits of a call together', async () => {
    const again = { status: 503, headers: { 'retry-after': '20' } };
    const { clock, server, call } = clientOf([again], { retry: { attempts: 10 } });
    const startMs = clock.now();
    expect((await call({ sluice: { maxWait: '50s' } })).status).toBe(503);
    // Two waits of 21 s fit into it, and a third does not.
    expect([server.calls, clock.now() - startMs]).toEqual([3, 42_000]);
  });

  it('refuses a wrong duration before anything is sent', async () => {
    const { server, call } = clientOf([200]);
    await expect(call({ sluice: { maxWait: 'soon' as never } })).rejects.toMatchObject({
      code: 'SLUICE_OPTION',
      path: 'sluice.maxWait',
    });
    await expect(call({ sluice: { maxwait: 5 } as object })).rejects.toThrow(SluiceError);
    expect(server.calls).toBe(0);
  });
});

describe('the signal', () => {
  it.each<[what: string, Scripted]>([
    ['a pause of its own', 500],
    ['the wait that the server asked for', { status: 503, headers: { 'retry-after': '30' } }],
  ])('ends %s at once', async (_what, answer) => {
    const { clock, server, call } = clientOf([answer, 200], { retry: { base: '30s' } });
    const controller = new AbortController();
    const startMs = clock.now();
    const response = call({ signal: controller.signal });
    const reason = new Error('changed my mind');
    void clock.untilSleeping(1).then(() => controller.abort(reason));
    await expect(response).rejects.toBe(reason);
    expect([server.calls, server.cancelled]).toEqual([1, 1]);
    expect(clock.now() - startMs).toBeLessThan(100);
    expect(clock.asleep()).toBe(0);
  });

  it('that has aborted lets nothing be sent', async () => {
    const { server, call } = clientOf([200]);
    await expect(call({ signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late');
    expect(server.calls).toBe(0);
  });

  it('of a Request counts, too', async () => {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, 200);
    const api = limitedFetch({ fetch: server.fetch, store: new MemoryStore({ clock }) });
    const request = new Request(URL, { signal: AbortSignal.abort(new Error('too late')) });
    await expect(api(request)).rejects.toThrow('too late');
    expect(server.calls).toBe(0);
  });
});

describe('the budget of retries', () => {
  /** Sends so many requests, so many a second, to a server that is dead. */
  async function retriesOf(requests: number, perSecond: number): Promise<number> {
    const clock = new QueueClock();
    const server = new ScriptedFetch(clock, REFUSED_CONNECTION);
    // The breaker would end them sooner.
    const options = {
      fetch: server.fetch,
      store: new MemoryStore({ clock }),
      random: () => 0.5,
      breaker: false,
    } as const;
    const api = limitedFetch(options);
    const calls: Promise<unknown>[] = [];
    for (let i = 0; i < requests; i += 1) {
      calls.push(api(URL).catch(() => {}));
      if (i % perSecond === perSecond - 1) await runByClock(clock, clock.sleep(1000), 100);
    }
    await runByClock(clock, Promise.all(calls), 100);
    return server.calls - requests;
  }

  it.each([
    // No more than ten are saved up.
    [200, 200, 10, 20],
    [IS_FULL ? 10_000 : 300, 50, IS_FULL ? 900 : 27, IS_FULL ? 1000 : 30],
    [200, 20, 18, 20],
    // Below ten a second, there is one a second.
    [50, 5, 9, 10],
  ])('of a dead server: for %d requests, %d a second, it is %d to %d', async (requests, perSecond, least, most) => {
    const retries = await retriesOf(requests, perSecond);
    expect(retries).toBeLessThanOrEqual(most);
    expect(retries).toBeGreaterThanOrEqual(least);
    if (IS_FULL) process.stdout.write(`client: a dead server got ${retries} retries of ${requests} requests\n`);
  });

  it('belongs to one key', async () => {
    const clock = new QueueClock();
    const dead = new ScriptedFetch(clock, REFUSED_CONNECTION);
    const shaky = new ScriptedFetch(clock, 503, 200);
    const api = limitedFetch({
      fetch: (input, init) => (`${input}`.includes('dead') ? dead : shaky).fetch(input, init),
      store: new MemoryStore({ clock }),
    });
    const calls = Array.from({ length: 50 }, () => api('http://dead.example/').catch(() => {}));
    await runByClock(clock, Promise.all(calls));
    expect((await runByClock(clock, api('http://shaky.example/'))).status).toBe(200);
  });
});
