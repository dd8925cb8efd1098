import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { upgradeWebSocket } from '@hono/node-server';
import { describe, expect, it } from '@jest/globals';
import { createShedder } from '@sluice/core/load';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { serveFetch } from '@sluice/test-kit/serve-fetch';
import { WatchedShedder } from '@sluice/test-kit/shedding/watched-shedder';
import { until } from '@sluice/test-kit/until';
import { type Context, Hono } from 'hono';
import { WebSocket, WebSocketServer } from 'ws';
import { clientAddress, concurrency, MemoryStore, type RateLimitOptions, rateLimit, shedLoad } from '../src/index.js';

/** Serves an application on Node whose only route makes a WebSocket of the connection, unless a handler refuses that. */
async function serving(
  options: Partial<RateLimitOptions> = {},
  refuse: (c: Context) => Response | undefined = () => undefined,
) {
  const store = closedAfterTest(new MemoryStore());
  const shedder = new WatchedShedder(createShedder({ loop: false, inFlight: { initial: 1, max: 1 } }));
  const app = new Hono();
  app.onError((error, c) => c.text(error.message, 500));
  app.use(shedLoad({ shedder }));
  app.use(clientAddress({ trustProxy: ['127.0.0.1'] }));
  app.use(rateLimit({ ...(options.limits ? {} : { limit: 2, window: '1m' }), store, ...options } as RateLimitOptions));
  app.get(
    '/',
    async (c, next) => refuse(c) ?? next(),
    upgradeWebSocket(() => ({})),
  );
  const { url } = closedAfterTest(
    await serveFetch(app.fetch, { websocket: { server: new WebSocketServer({ noServer: true }) } }),
  );
  /** Resolves with the response to the request for an upgrade, and with the socket. */
  const ask = async (address = '192.0.2.1') => {
    const socket = new WebSocket(url.replace('http', 'ws'), { headers: { 'X-Forwarded-For': address } });
    closedAfterTest({ close: async () => socket.terminate() });
    socket.on('error', () => {});
    const answers = ['upgrade', 'unexpected-response'].map((event) => once(socket, event));
    const response = (await Promise.race(answers)).at(-1) as IncomingMessage;
    response.resume();
    return { socket, status: response.statusCode, left: response.headers.ratelimit };
  };
  const free = async (): Promise<void> => until(() => shedder.state.inFlight === 0);
  return { shedder, ask, free };
}

describe('A request of Node to upgrade its connection', () => {
  it('is counted by the address of its client, and gets the header fields', async () => {
    const { ask } = await serving();
    const answers = [await ask(), await ask(), await ask(), await ask('192.0.2.2')];
    expect(answers.map(({ status }) => status)).toEqual([101, 101, 429, 101]);
    expect(answers.map(({ left }) => left)).toEqual(
      ['1', '0', '0', '1'].map((count) => expect.stringContaining(`"per-1m";r=${count}`)),
    );
  });

  it('holds its slot as long as its WebSocket', async () => {
    const { ask } = await serving({ limits: [{ limit: concurrency({ limit: 1, lease: '30s' }) }] });
    const { socket, status } = await ask();
    expect([status, (await ask()).status]).toEqual([101, 429]);
    socket.close();
    await until(async () => (await ask()).status === 101);
  });

  it('takes no place of shedLoad, and is in flight as long as its WebSocket', async () => {
    const { shedder, ask, free } = await serving();
    const [one, two] = [await ask(), await ask()];
    expect([one.status, two.status, shedder.state.inFlight]).toEqual([101, 101, 2]);
    one.socket.close();
    two.socket.terminate();
    await free();
    expect(shedder.endings).toEqual(['pause', 'pause', 'drop', 'drop']);
  });

  it.each([401, 200])('is over when a handler responds with %i and a body, which nobody reads', async (status) => {
    const { shedder, ask, free } = await serving({}, (c) => c.text('no', status as 200));
    expect((await ask()).status).toBe(status);
    await free();
    expect(shedder.endings).toEqual(['pause', 'drop']);
  });

  it('is not charged if a handler refuses it, as the options say', async () => {
    const { ask, free } = await serving({ skipFailedRequests: true }, (c) => c.text('no', 401));
    for (let i = 0; i < 3; i += 1) {
      expect(await ask()).toMatchObject({ status: 401, left: expect.stringContaining('r=1') });
      await free();
    }
  });
});
