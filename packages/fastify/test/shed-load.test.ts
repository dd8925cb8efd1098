import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createShedder } from '@sluice/core/load';
import { expectExempt, SKIPPED } from '@sluice/test-kit/shedding/expect-exempt';
import { handle } from '@sluice/test-kit/shedding/triple-load';
import { until } from '@sluice/test-kit/until';
import fastify from 'fastify';
import { type Shedder, shedLoad } from '../src/index.js';

/** A shedder without a free place. */
function full(): Shedder {
  const shedder = createShedder({ loop: false, inFlight: { algorithm: 'aimd', initial: 1, max: 1 } });
  shedder.admit('critical');
  return shedder;
}

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it('A refused request runs no hook that was added later, and no onSend hook', async () => {
  const hooks: string[] = [];
  const app = fastify();
  await app.register(shedLoad({ shedder: full() }));
  app.addHook('onRequest', async () => void hooks.push('onRequest'));
  app.addHook('onSend', async () => void hooks.push('onSend'));
  app.addHook('onResponse', async (_request, reply) => void hooks.push(`onResponse ${reply.raw.statusCode}`));
  app.get('/', async () => 'ok');
  const { statusCode, headers, body } = await app.inject('/');
  expect([statusCode, headers['content-type']]).toEqual([503, 'application/problem+json']);
  expect(JSON.parse(body)).toMatchObject({ status: 503 });
  expect(hooks).toEqual(['onResponse 503']);
});

it('Requests without a route are shed', async () => {
  const app = fastify();
  await app.register(shedLoad({ shedder: full() }));
  expect((await app.inject('/nothing')).statusCode).toBe(503);
});

it('Fields that an earlier hook has set stay', async () => {
  const app = fastify();
  app.addHook('onRequest', async (_request, reply) => void reply.header('access-control-allow-origin', '*'));
  await app.register(shedLoad({ shedder: full() }));
  app.get('/', async () => 'ok');
  const { statusCode, headers } = await app.inject('/');
  expect([statusCode, headers['access-control-allow-origin']]).toEqual([503, '*']);
});

it('In an inner scope, only the requests of that scope are shed', async () => {
  const app = fastify();
  await app.register(
    async (inner) => {
      await inner.register(shedLoad({ shedder: full() }));
      for (const path of ['/', '/livez', '/x/livez']) inner.get(path, async () => 'inner');
    },
    { prefix: '/api' },
  );
  app.get('/', async () => 'outer');
  const statuses: number[] = [];
  for (const path of ['/', '/api', '/api/livez?verbose', '/api/x/livez', '/nothing']) {
    statuses.push((await app.inject(path)).statusCode);
  }
  expect(statuses).toEqual([200, 503, 200, 503, 404]);
});

const PREFIXES = ['/users', '/api/', '/tenants/:tenant', '/livez'];
const PATTERNS = ['/livez', '/:id', '/*', '/x/livez', '/livez/:id', '/:id/livez', '/'];

describe.each(PREFIXES)('In a scope with the prefix %s', (prefix) => {
  describe.each(['around the scope', 'in the scope'])('and the plugin %s', (place) => {
    it.each(PATTERNS)('a client cannot choose a health check by the URL of the route %s', async (pattern) => {
      const app = fastify();
      const shed = shedLoad({ shedder: full() });
      if (place === 'around the scope') await app.register(shed);
      await app.register(
        async (scope) => {
          if (place === 'in the scope') await scope.register(shed);
          scope.get(pattern, async () => 'ok');
        },
        { prefix },
      );
      const mount = prefix.replace(/\/$/, '').replace(':tenant', 'livez');
      for (const path of ['', '/livez', '/readyz', '/7', '/x/livez', '/livez/livez', '/livez/7', '/livez?x']) {
        const { statusCode } = await app.inject(mount + path);
        // 404 without a plugin around it.
        if (statusCode === 404) continue;
        const isHealth = (mount + path).split('?')[0] === '/livez' || (pattern === '/livez' && statusCode === 200);
        expect([mount + path, statusCode]).toEqual([mount + path, isHealth ? 200 : 503]);
      }
      const { statusCode } = await app.inject(`${mount}/livez`);
      if (pattern === '/livez') expect(statusCode).toBe(200);
      else expect(statusCode).not.toBe(200);
    });
  });
});

it('A request passes the shedders of all scopes around it, each once, also before a 404 handler', async () => {
  const [outer, inner] = [shedLoad(), shedLoad()];
  const app = fastify();
  await app.register(outer);
  await app.register(async (scope) => {
    await scope.register(inner);
    await scope.register(outer);
    scope.get('/', async () => [outer.shedder.state.inFlight, inner.shedder.state.inFlight]);
    scope.get('/gone', (_request, reply) => reply.callNotFound());
  });
  app.setNotFoundHandler(async (request) => [outer.shedder.state.inFlight, request.load?.inFlight]);
  expect((await app.inject('/')).json()).toEqual([1, 1]);
  expect((await app.inject('/gone')).json()).toEqual([1, 1]);
  expect([outer.shedder.state.inFlight, inner.shedder.state.inFlight]).toEqual([0, 0]);
});

it('A stream that is written to the raw response takes no place', async () => {
  const shed = shedLoad({ loop: false, inFlight: { initial: 4, max: 4 } });
  const app = fastify();
  await app.register(shed);
  app.get('/events', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'Content-Type': 'text/event-stream' });
    reply.raw.write('data: hello\n\n');
  });
  app.get('/', async (request) => request.load?.inFlight);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  ends.push(() => app.close());
  const streams = Array.from({ length: 10 }, () => get(`${url}/events`));
  for (const stream of streams) {
    stream.on('error', () => {});
    await once(stream, 'response');
  }
  expect((await app.inject('/')).body).toBe('11');
  for (const stream of streams) stream.destroy();
  await until(() => shed.shedder.state.inFlight === 0);
});

it('Over HTTP/2, requests are shed, bodies are not read, and the connection is kept', async () => {
  const shedder = full();
  const app = fastify({ http2: true });
  await app.register(shedLoad({ shedder, random: () => 0 }));
  app.all('/*', async () => 'ok');
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const session = connect(url);
  ends.push(
    () => app.close(),
    () => session.destroy(),
  );
  const ask = async (method: string, path: string, body?: Buffer): Promise<unknown[]> => {
    const stream = session.request({ ':method': method, ':path': path });
    stream.on('error', () => {});
    stream.end(body);
    const fields = await new Promise<Record<string, unknown>>((resolve) => void stream.on('response', resolve));
    return [fields[':status'], fields['retry-after'], (await text(stream)).length > 2];
  };
  expect(await ask('GET', '/')).toEqual([503, '1', true]);
  expect(await ask('HEAD', '/')).toEqual([503, '1', false]);
  expect(await ask('POST', '/', Buffer.alloc(10_000_000))).toEqual([503, '1', true]);
  expect(await ask('GET', '/livez')).toEqual([200, undefined, false]);
  expect(shedder.state.inFlight).toBe(1);
});

it('shedLoad itself is no plugin, and says so', () => {
  expect(() => shedLoad(fastify() as never)).toThrow(/register\(shedLoad\(options\)\)/);
});

it('At three times the load, health checks and skipped requests are never refused', async () => {
  const app = fastify();
  await app.register(shedLoad({ skip: (request) => request.url === SKIPPED, inFlight: { initial: 4, max: 4 } }));
  app.get('/*', async () => {
    await handle();
    return 'ok';
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  ends.push(() => app.close());
  await expectExempt(url);
});
