import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { limitedFetch } from '@sluice/client';
import { limitInterceptor } from '@sluice/client/undici';
import { MemoryStore, slidingWindow } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { until } from '@sluice/test-kit/until';
import { Agent, Client, type Dispatcher, fetch, interceptors } from 'undici';
import { type ScriptedAnswer, ScriptedServer } from './scripted-server.js';
import { StoreView } from './store-view.js';

const clock = new QueueClock();
const opened: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function serverWith(...answers: ScriptedAnswer[]): Promise<ScriptedServer> {
  const server = await ScriptedServer.open(clock, answers);
  opened.push(server);
  return server;
}

function agentWith(
  options: Parameters<typeof limitInterceptor>[0],
  ...others: Dispatcher.DispatcherComposeInterceptor[]
): Dispatcher {
  const agent = new Agent().compose(
    limitInterceptor({ store: new MemoryStore({ clock }), random: () => 0, ...options }),
    ...others,
  );
  opened.unshift(agent);
  return agent;
}

const refusal: ScriptedAnswer = { status: 429, headers: { 'retry-after': '1' }, body: 'too many' };

describe('limitInterceptor', () => {
  it('counts each request of an interceptor that is listed after it', async () => {
    const server = await serverWith({ status: 302, headers: { location: '/next' } });
    const dispatcher = agentWith(
      { limit: slidingWindow({ limit: 1, window: '1s' }) },
      interceptors.redirect({ maxRedirections: 1 }),
    );
    const answer = await runByClock(clock, dispatcher.request({ origin: server.origin, path: '/', method: 'GET' }));
    expect(await answer.body.text()).toBe('fine');
    expect(answer.context).toMatchObject({ history: [{ pathname: '/' }, { pathname: '/next' }] });
    expect(server.timesMs[1]).toBeGreaterThanOrEqual(1000);
  });

  it('sends the header fields of an iterator, also again', async () => {
    const server = await serverWith({ status: 503 });
    const headers = new Map([['authorization', 'Bearer token']]).entries();
    const dispatcher = agentWith({});
    await runByClock(clock, dispatcher.request({ origin: server.origin, path: '/', method: 'GET', headers }));
    expect(server.requests.map((sent) => sent.headers.authorization)).toEqual(['Bearer token', 'Bearer token']);
  });

  it('passes on what an interceptor that is listed before it tells of the way', async () => {
    const server = await serverWith({ status: 302, headers: { location: '/next' } });
    const agent = new Agent().compose(
      interceptors.redirect({ maxRedirections: 1 }),
      limitInterceptor({ store: new MemoryStore({ clock }) }),
    );
    opened.unshift(agent);
    const answer = await agent.request({ origin: server.origin, path: '/', method: 'GET' });
    expect(await answer.body.text()).toBe('fine');
    expect(answer.context).toMatchObject({ history: [{ pathname: '/' }, { pathname: '/next' }] });
  });

  it('hands on an upgraded connection, and frees its slot when it closes', async () => {
    const server = await serverWith();
    const dispatcher = agentWith({ concurrency: 1 });
    const { socket } = await dispatcher.upgrade({ origin: server.origin, path: '/chat', protocol: 'other' } as never);
    const second = dispatcher.request({ origin: server.origin, path: '/', method: 'GET' });
    await until(() => clock.asleep() > 0);
    expect(server.requests).toHaveLength(1);
    const [greeting] = await once(socket, 'data');
    expect(String(greeting)).toBe('hello');
    socket.destroy();
    expect((await runByClock(clock, second)).statusCode).toBe(200);
  });

  it('hands on the end of an answer whose store was closed meanwhile', async () => {
    const server = await serverWith({ body: 'a'.repeat(200_000) });
    const store = new MemoryStore({ clock });
    const dispatcher = agentWith({ store, concurrency: 1 });
    const { body } = await dispatcher.request({ origin: server.origin, path: '/', method: 'GET' });
    await store.close();
    expect(await body.text()).toHaveLength(200_000);
  });

  it('serves the `fetch` of undici', async () => {
    const server = await serverWith(refusal);
    const response = await runByClock(clock, fetch(server.origin, { dispatcher: agentWith({}) }));
    expect([response.status, await response.text()]).toEqual([200, 'fine']);
  });

  it('shows a handler of the old kind one dispatch, however many attempts there are', async () => {
    const server = await serverWith(refusal);
    const agent = new Agent();
    opened.unshift(agent);
    const dispatch = limitInterceptor({ store: new MemoryStore({ clock }) })(agent.dispatch.bind(agent));
    const events: string[] = [];
    const done = new Promise<void>((resolve, reject) => {
      dispatch(
        { origin: server.origin, path: '/', method: 'GET' },
        {
          onConnect: () => void events.push('connect'),
          onHeaders: (status) => events.push(`headers ${status}`) > 0,
          onData: (chunk) => events.push(`data ${chunk}`) > 0,
          onComplete: () => resolve(void events.push('complete')),
          onError: reject,
        },
      );
    });
    await runByClock(clock, done);
    expect(events).toEqual(['connect', 'headers 200', 'data fine', 'complete']);
  });

  describe('with a handler of the new kind', () => {
    const dispatched = (dispatcher: Dispatcher, origin: string, handler: Dispatcher.DispatchHandler) => {
      const events: string[] = [];
      const done = new Promise<string[]>((resolve) => {
        dispatcher.dispatch(
          { origin, path: '/', method: 'GET' },
          {
            onRequestStart: (...args) => handler.onRequestStart?.(...args),
            onResponseStart: (...args) => {
              events.push(`start ${args[1]}`);
              handler.onResponseStart?.(...args);
            },
            onResponseData: (_, chunk) => void events.push(`data ${chunk}`),
            onResponseEnd: () => resolve([...events, 'end']),
            onResponseError: (_, error) => resolve([...events, `error ${error.message}`]),
          },
        );
      });
      return { events, done };
    };

    it('sends nothing more while the handler pauses', async () => {
      const server = await serverWith(refusal);
      let controller: Dispatcher.DispatchController | undefined;
      const { events, done } = dispatched(agentWith({}), server.origin, {
        onResponseStart: (own) => {
          controller = own;
          own.pause();
        },
      });
      await runByClock(clock, Promise.race([done, until(() => controller !== undefined)]));
      expect(controller?.paused).toBe(true);
      expect(events).toEqual(['start 200']);
      controller?.resume();
      expect(await done).toEqual(['start 200', 'data fine', 'end']);
    });

    it('ends the answer if the handler aborts or throws', async () => {
      const server = await serverWith();
      const aborting = dispatched(agentWith({}), server.origin, {
        onResponseStart: (own) => own.abort(new Error('enough')),
      });
      expect(await aborting.done).toEqual(['start 200', 'error enough']);
      const throwing = dispatched(agentWith({}), server.origin, {
        onResponseStart: () => {
          throw new Error('broken');
        },
      });
      expect(await throwing.done).toEqual(['start 200', 'error broken']);
    });

    it('keeps an answer from a handler that has aborted before it could have it', async () => {
      const stated = { 'ratelimit-policy': '"p";q=100;w=10', ratelimit: '"p";r=1;t=10' };
      const server = await serverWith({ headers: stated, body: 'a'.repeat(200_000) });
      let controller: Dispatcher.DispatchController | undefined;
      const store = new StoreView(new MemoryStore({ clock }), clock);
      // The answer states less than is left here, so it is corrected before the answer is handed on.
      const adjust = store.adjust.bind(store);
      store.adjust = (change) => {
        controller?.abort(new Error('too slow'));
        return adjust(change);
      };
      const { done } = dispatched(agentWith({ store, concurrency: 1 }), server.origin, {
        onRequestStart: (own) => {
          controller = own;
        },
      });
      expect(await done).toEqual(['error too slow']);
    });

    it('sends nothing if the handler aborts at its start', async () => {
      const server = await serverWith();
      const aborting = dispatched(agentWith({}), server.origin, {
        onRequestStart: (own) => own.abort(new Error('never mind')),
      });
      expect(await aborting.done).toEqual(['error never mind']);
      expect(server.requests).toHaveLength(0);
    });
  });

  it('forgets a key, and lifts its block', async () => {
    const server = await serverWith(refusal, refusal);
    const interceptor = limitInterceptor({ store: new MemoryStore({ clock }), retry: false, maxWait: 0 });
    const dispatcher = new Agent().compose(interceptor);
    opened.unshift(dispatcher);
    const get = async (): Promise<number> => {
      const { statusCode, body } = await dispatcher.request({ origin: server.origin, path: '/', method: 'GET' });
      await body.text();
      return statusCode;
    };
    for (const lift of [interceptor.unblock, interceptor.forget]) {
      expect(await get()).toBe(429);
      await expect(get()).rejects.toMatchObject({ code: 'SLUICE_REFUSED' });
      expect(await lift(server.origin)).toBe(true);
    }
    expect(await get()).toBe(200);
  });

  it('shares its limiter with a `limitedFetch` that has the same options', async () => {
    const server = await serverWith();
    const options = { store: new MemoryStore({ clock }), limit: slidingWindow({ limit: 1, window: '1h' }), maxWait: 0 };
    const api = limitedFetch(options);
    const dispatcher = new Agent().compose(limitInterceptor(options));
    opened.unshift(dispatcher);
    await (await api(server.origin)).text();
    const second = dispatcher.request({ origin: server.origin, path: '/', method: 'GET' });
    await expect(second).rejects.toMatchObject({ code: 'SLUICE_REFUSED' });
  });

  it('asks for the server of requests that do not name one', async () => {
    const server = await serverWith();
    const client = new Client(server.origin);
    opened.unshift(client);
    const get = { path: '/', method: 'GET' } as const;
    const nameless = client.compose(limitInterceptor());
    await expect(nameless.request(get)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'origin' });
    const keys: string[] = [];
    const key = ({ url, headers }: Request): string => {
      keys.push(`${url} ${headers.get('a')}`);
      return 'one';
    };
    const named = client.compose(limitInterceptor({ origin: server.origin, key }));
    const forms = [{ a: '1' }, ['a', '1'], new Map([['a', '1']]), { a: ['1', '2'] }];
    for (const headers of forms) await (await named.request({ ...get, query: { b: 2 }, headers })).body.text();
    const url = `${server.origin}/?b=2`;
    expect(keys).toEqual([`${url} 1`, `${url} 1`, `${url} 1`, `${url} 1, 2`]);
  });

  it('does not count requests about the way itself', async () => {
    const server = await serverWith();
    const dispatcher = agentWith({ limit: slidingWindow({ limit: 1, window: '1h' }), maxWait: 0 });
    for (const _ of [1, 2, 3])
      await (await dispatcher.request({ origin: server.origin, path: '/', method: 'TRACE' })).body.dump();
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    ['origin', { origin: 'here' }],
    ['concurrency', { concurrency: 0 }],
    ['fetch', { fetch }],
  ])('refuses a wrong option `%s`', (path, options: object) => {
    expect(() => limitInterceptor(options)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
  });
});
