import { once } from 'node:events';
import { get } from 'node:http';
import { connect, constants } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance, type RouteHandlerMethod } from 'fastify';
import { concurrency, type RateLimitOptions, rateLimit } from '../src/index.js';
import { limitedApp, minute, statuses } from './limited-app.js';

const slot = { limit: concurrency({ limit: 1, lease: '30s' }) };
const failuresOnly = { ...minute(1), skipSuccessfulRequests: true };

/** Every way in which Fastify's users answer. */
const ANSWERS: readonly [how: string, handler: RouteHandlerMethod][] = [
  ['returned', async () => 'ok'],
  ['sent', (_request, reply) => void reply.send('ok')],
  ['streamed', (_request, reply) => void reply.send(Readable.from(['o', 'k']))],
  [
    'hijacked',
    (_request, reply) => {
      reply.hijack();
      reply.raw.end('ok');
    },
  ],
  [
    'written by Node’s own response',
    (_request, reply) => {
      reply.raw.write('o');
      reply.raw.end('k');
    },
  ],
];

describe.each(ANSWERS)('An answer that is %s', (_, handler) => {
  it.each<[what: string, options: RateLimitOptions]>([
    ['frees its slot', slot],
    ['gives its charge back, where successes are free,', failuresOnly],
  ])('%s under app.inject()', async (_what, options) => {
    const app = await limitedApp(options);
    app.get('/', handler);
    for (let i = 0; i < 3; i += 1) {
      expect((await app.inject('/')).payload).toBe('ok');
      await turnOfTheLoop();
    }
  });

  it.each<[what: string, options: RateLimitOptions]>([
    ['frees its slot', slot],
    ['gives its charge back, where successes are free,', failuresOnly],
  ])('%s on a connection', async (_what, options) => {
    const app = await limitedApp(options);
    app.get('/', handler);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      for (let i = 0; i < 3; i += 1) {
        const [answer] = await once(get(url, { agent: false }), 'response');
        expect(await text(answer)).toBe('ok');
        await once(answer.socket, 'close');
      }
    } finally {
      await app.close();
    }
  });
});

describe('A request that fails', () => {
  const failing = async (options: RateLimitOptions): Promise<FastifyInstance> => {
    const app = await limitedApp(options);
    app.get('/', async () => {
      throw new Error('out of order');
    });
    return app;
  };

  it('stays charged if successes are free', async () => {
    expect(await statuses(await failing(failuresOnly), '/', '/')).toEqual([500, 429]);
  });

  it('frees its slot', async () => {
    expect(await statuses(await failing(slot), '/', '/', '/')).toEqual([500, 500, 500]);
  });

  it('is not one whose client leaves, even in the middle of a stream: it stays charged', async () => {
    const app = await limitedApp(failuresOnly);
    const stream = new Readable({ read: () => {} });
    app.get('/', (_request, reply) => void reply.send(stream));
    app.get('/other', async () => 'ok');
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      stream.push('begun');
      const [answer] = await once(get(url, { agent: false }), 'response');
      answer.destroy();
      await once(stream, 'close');
      await turnOfTheLoop();
      expect(await statuses(app, '/other')).toEqual([429]);
    } finally {
      await app.close();
    }
  });

  it('is one that is broken off under app.inject()', async () => {
    const app = await limitedApp(failuresOnly);
    app.get('/', (_request, reply) => void reply.raw.destroy());
    await expect(app.inject('/')).rejects.toThrow('response destroyed');
    expect((await app.inject('/')).statusCode).toBe(429);
  });
});

describe('Over HTTP/2', () => {
  const serve = async (
    options: RateLimitOptions,
    hanging: RouteHandlerMethod = () => {},
  ): Promise<{ app: FastifyInstance; origin: string }> => {
    const app = fastify({ http2: true }) as unknown as FastifyInstance;
    await app.register(rateLimit, options);
    app.get('/', async () => 'ok');
    app.get('/hanging', hanging);
    await app.listen({ host: '127.0.0.1', port: 0 });
    return { app, origin: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` };
  };

  it.each<[what: string, options: RateLimitOptions]>([
    ['frees its slot', slot],
    ['gives its charge back, where successes are free', failuresOnly],
  ])('an answer %s', async (_, options) => {
    const { app, origin } = await serve(options);
    const client = connect(origin);
    try {
      for (let i = 0; i < 3; i += 1) {
        const stream = client.request({ ':path': '/' });
        const [headers] = await once(stream, 'response');
        expect(headers[':status']).toBe(200);
        expect(await text(stream)).toBe('ok');
        await turnOfTheLoop();
      }
    } finally {
      client.destroy();
      await app.close();
    }
  });

  it('a request that its client cancels stays charged, and frees its slot when its handler has ended', async () => {
    for (const [options, status] of [
      [slot, 200],
      [failuresOnly, 429],
    ] as const) {
      let end = (): void => {};
      const { app, origin } = await serve(options, () => new Promise<void>((resolve) => (end = resolve)));
      const client = connect(origin);
      try {
        const leaving = client.request({ ':path': '/hanging' });
        const [session] = await once(app.server, 'session');
        const [taken] = await once(session, 'stream');
        await turnOfTheLoop();
        leaving.close(constants.NGHTTP2_CANCEL);
        await once(taken, 'close');
        end();
        await turnOfTheLoop();
        const stream = client.request({ ':path': '/' });
        const [headers] = await once(stream, 'response');
        expect(headers[':status']).toBe(status);
        stream.resume();
      } finally {
        client.destroy();
        await app.close();
      }
    }
  });
});
