import { get } from 'node:http';
import { connect } from 'node:http2';
import { Readable } from 'node:stream';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { until } from '@sluice/test-kit/until';
import fastify, { type FastifyInstance, type RouteHandlerMethod } from 'fastify';
import { concurrency, rateLimit } from '../src/index.js';

const TWO = concurrency({ limit: 2, lease: '30s' });

const someTurns = async (): Promise<void> => {
  for (let i = 0; i < 30; i += 1) await turnOfTheLoop();
};

/** Handlers that are at work for some time, however they tell that they have ended. */
class Crew {
  begun = 0;
  atWork = 0;
  most = 0;

  async work(): Promise<void> {
    this.begun += 1;
    this.atWork += 1;
    this.most = Math.max(this.most, this.atWork);
    await someTurns();
    this.atWork -= 1;
  }
}

const HANDLERS: readonly [how: string, handlerOf: (crew: Crew) => RouteHandlerMethod][] = [
  ['gives a promise', (crew) => () => crew.work().then(() => 'done')],
  ['gives a promise that rejects', (crew) => () => crew.work().then(() => Promise.reject(new Error('broken')))],
  ['sends later, and gives nothing', (crew) => (_request, reply) => void crew.work().then(() => reply.send('done'))],
  [
    'sends later, and gives the reply',
    (crew) => (_request, reply) => {
      void crew.work().then(() => reply.send('done'));
      return reply;
    },
  ],
  [
    'sends later, and waits for the reply',
    (crew) => async (_request, reply) => {
      void crew.work().then(() => reply.send('done'));
      return reply;
    },
  ],
  [
    'works, and then waits until a stream is sent',
    (crew) => async (_request, reply) => {
      await crew.work();
      return reply.send(Readable.from(['done']));
    },
  ],
  ['ends Node’s own response later', (crew) => (_request, reply) => void crew.work().then(() => reply.raw.end('done'))],
];

/** Sends a request. Returns the function by which its client leaves. */
type Ask = (url: string, over: () => void) => () => void;

const askByHttp1: Ask = (url, over) => {
  const client = get(url, { agent: false }).on('error', over).on('response', over);
  return () => client.destroy();
};

const askByHttp2: Ask = (url, over) => {
  const session = connect(url).on('error', over);
  session.request().on('error', over).on('response', over);
  return () => session.destroy();
};

/** So many clients come one behind the other, and leave as soon as their handlers are at work. */
async function comeAndGo(app: FastifyInstance, crew: Crew, count: number, ask: Ask = askByHttp1): Promise<void> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  for (let i = 0; i < count; i += 1) {
    const { begun } = crew;
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    const leave = ask(url, over);
    await until(() => crew.begun !== begun || isOver);
    leave();
  }
  await until(() => crew.atWork === 0);
}

describe('A handler that', () => {
  it.each(
    HANDLERS.flatMap(([how, handlerOf]) => [
      [how, 'HTTP/1.1', handlerOf, fastify(), askByHttp1] as const,
      [how, 'HTTP/2', handlerOf, fastify({ http2: true }) as unknown as FastifyInstance, askByHttp2] as const,
    ]),
  )('%s runs at most twice at the same time, even if 40 clients of %s leave', async (_, __, handlerOf, app, ask) => {
    const store = new MemoryStore({ clock: new ManualClock() });
    await app.register(rateLimit, { limit: TWO, store });
    const crew = new Crew();
    app.get('/', handlerOf(crew));
    try {
      await comeAndGo(app, crew, 40, ask);
      expect(crew.begun).toBeGreaterThan(2);
      expect(crew.most).toBe(2);
      // No lease has to end before the slots are free again.
      await someTurns();
      const { allowed, tightest } = await app.rateLimit.policy('default').peek(['ip', '127.0.0.1']);
      expect([allowed, tightest.remaining]).toEqual([true, 2]);
    } finally {
      await app.close();
    }
  });

  it('returns a query, which runs whenever it is awaited, runs it once', async () => {
    const app = fastify();
    await app.register(rateLimit, { limit: TWO });
    let queries = 0;
    // biome-ignore lint/suspicious/noThenProperty: as queries of some libraries have one.
    app.get('/', () => ({ then: (resolve: (rows: string) => void) => resolve(`query ${++queries}`) }));
    expect((await app.inject('/')).body).toBe('query 1');
    expect(queries).toBe(1);
    await app.close();
  });

  it('begins after its client has left also holds a slot', async () => {
    const store = new MemoryStore({ clock: new ManualClock() });
    const app = fastify();
    await app.register(rateLimit, { limit: TWO, store });
    let waiting = 0;
    app.addHook('preHandler', async () => {
      waiting += 1;
      await someTurns();
    });
    const crew = new Crew();
    app.get('/', () => crew.work());
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      for (let i = 0; i < 40; i += 1) {
        const before = waiting;
        let isOver = false;
        const over = (): void => {
          isOver = true;
        };
        const client = get(url, { agent: false }).on('error', over).on('response', over);
        await until(() => waiting !== before || isOver);
        client.destroy();
      }
      await someTurns();
      await until(() => crew.atWork === 0);
      expect(crew.begun).toBeGreaterThan(2);
      expect(crew.most).toBeLessThanOrEqual(2);
      await someTurns();
      expect((await app.rateLimit.policy('default').peek(['ip', '127.0.0.1'])).tightest.remaining).toBe(2);
    } finally {
      await app.close();
    }
  });

  it('does not begin, because a hook has responded to a client that has left, frees the slot', async () => {
    const store = new MemoryStore({ clock: new ManualClock() });
    const app = fastify();
    await app.register(rateLimit, { limit: TWO, store });
    let isHere = false;
    app.addHook('preHandler', async (_request, reply) => {
      isHere = true;
      await someTurns();
      return reply.code(401).send('who are you?');
    });
    app.get('/', async () => 'never');
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      const client = get(url, { agent: false }).on('error', () => {});
      await until(() => isHere);
      client.destroy();
      const left = async () => (await app.rateLimit.policy('default').peek(['ip', '127.0.0.1'])).tightest.remaining;
      expect(await left()).toBe(1);
      await someTurns();
      await someTurns();
      expect(await left()).toBe(2);
    } finally {
      await app.close();
    }
  });
});
