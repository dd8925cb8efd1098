import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { type LimitedFetchOptions, limitedFetch } from '../src/index.js';

const URL = 'http://server.example/';

/** A server whose answers have bodies that end when told to. */
function streamingClient(options: LimitedFetchOptions, headers: Record<string, string> = {}) {
  const clock = new QueueClock();
  const bodies: ReadableStreamDefaultController<Uint8Array>[] = [];
  const api = limitedFetch({
    store: new MemoryStore({ clock }),
    fetch: async () => {
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void bodies.push(controller) });
      const response = new Response(body, { status: 200, statusText: 'Fine', headers: { 'x-own': '1', ...headers } });
      return Object.defineProperty(response, 'url', { value: 'http://server.example/moved' });
    },
    ...options,
  });
  return { api, bodies, clock };
}

describe('a slot of `concurrency`', () => {
  it.each<[end: string, (response: Response, body: ReadableStreamDefaultController<Uint8Array>) => Promise<unknown>]>([
    [
      'is read',
      async (response, body) => {
        body.enqueue(new TextEncoder().encode('text'));
        body.close();
        expect(await response.text()).toBe('text');
      },
    ],
    ['is cancelled', async (response) => response.body?.cancel()],
    [
      'breaks',
      async (response, body) => {
        body.error(new Error('reset'));
        await expect(response.text()).rejects.toThrow('reset');
      },
    ],
  ])('is free again when the body %s', async (_end, end) => {
    const { api, bodies } = streamingClient({ concurrency: 1 });
    const first = await api(URL);
    const second = api(URL);
    await turnOfTheLoop();
    expect(bodies).toHaveLength(1);
    await end(first, bodies[0] as ReadableStreamDefaultController<Uint8Array>);
    await second;
    expect(bodies).toHaveLength(2);
  });

  it('is free again when the signal aborts, although nobody reads the body', async () => {
    const clock = new QueueClock();
    const { api, bodies } = streamingClient({ concurrency: 1, maxWait: 0, store: new MemoryStore({ clock }) });
    await api(URL);
    // What a fetch does with the body of its answer when the signal aborts.
    bodies[0]?.error(new DOMException('The operation was aborted', 'AbortError'));
    await turnOfTheLoop();
    expect((await api(URL)).status).toBe(200);
  });

  it('is free again a quarter of an hour after an answer that nobody reads', async () => {
    const { api, bodies, clock } = streamingClient({ concurrency: 1, maxWait: '1h' });
    await api(URL);
    const startMs = clock.now();
    await runByClock(clock, api(URL), 5000);
    expect(bodies).toHaveLength(2);
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(15 * 60_000);
    expect(clock.now() - startMs).toBeLessThanOrEqual(16 * 60_000);
  });

  it('is free while a call waits for its retry', async () => {
    const statuses = [503, 200];
    const { api, clock } = streamingClient({
      concurrency: 1,
      fetch: async () => new Response('text', { status: statuses.shift() ?? 200 }),
    });
    expect((await runByClock(clock, api(URL))).status).toBe(200);
  });

  it('is free again at once after an error, and after an answer without a body', async () => {
    const answers = [new TypeError('reset'), new Response(null, { status: 204 }), new Response('text')];
    const { api } = streamingClient({
      concurrency: 1,
      retry: false,
      maxWait: 0,
      fetch: async () => {
        const answer = answers.shift();
        if (answer instanceof Response) return answer;
        throw answer;
      },
    });
    await expect(api(URL)).rejects.toThrow('reset');
    expect((await api(URL)).status).toBe(204);
    expect(await (await api(URL)).text()).toBe('text');
  });

  it.each<[answer: string, body: string | null, end: (response: Response) => unknown, expected: unknown]>([
    ['without a body', null, ({ status }) => status, 204],
    ['that is read', 'text', (response) => response.text(), 'text'],
    ['that is cancelled', 'text', (response) => response.body?.cancel(), undefined],
  ])('does not disturb an answer %s if the store was closed meanwhile', async (_answer, body, end, expected) => {
    const store = new MemoryStore({ clock: new QueueClock() });
    const api = limitedFetch({
      store,
      concurrency: 1,
      fetch: async () => {
        await store.close();
        return new Response(body, { status: body === null ? 204 : 200 });
      },
    });
    expect(await end(await api(URL))).toBe(expected);
  });

  it('does not change what an answer says', async () => {
    const { api } = streamingClient({ concurrency: 1 });
    const { status, statusText, url, headers, redirected, type, ok } = await api(URL);
    expect({ status, statusText, url, own: headers.get('x-own'), redirected, type, ok }).toEqual({
      status: 200,
      statusText: 'Fine',
      url: 'http://server.example/moved',
      own: '1',
      redirected: false,
      type: 'default',
      ok: true,
    });
  });

  it('is also kept where the server states the limit', async () => {
    const stated = { 'ratelimit-policy': '"open";q=2;qu="concurrent-requests"', ratelimit: '"open";r=1' };
    const { api, bodies } = streamingClient({}, stated);
    // The first answer teaches the limit.
    await (await api(URL)).body?.cancel();
    const three = [api(URL), api(URL), api(URL)];
    await Promise.all(three.slice(0, 2));
    for (let i = 0; i < 5; i += 1) await turnOfTheLoop();
    expect(bodies).toHaveLength(3);
    await (await three[0])?.body?.cancel();
    await three[2];
    expect(bodies).toHaveLength(4);
  });
});

describe('without slots', () => {
  it('the answer is handed on as it is', async () => {
    const answer = new Response('text');
    const api = limitedFetch({ fetch: async () => answer });
    expect(await api(URL)).toBe(answer);
  });
});
