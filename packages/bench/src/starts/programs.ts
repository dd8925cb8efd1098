/** What each contender is compared with: the peers of its kind. */
export const OURS = 'Sluice';

/** A program as a user writes it, in parts. */
export interface Start {
  /** Its imports. */
  readonly imports: string;
  /** Makes what decides, and defines `ask`: a function that resolves when a key has its answer. */
  readonly make: string;
}

/** Programs that do the same, by who limits in them. */
type Starts = ReadonlyMap<string, Start>;

const LIMIT = 100_000;
const WINDOW_MS = 3_600_000;
const OWN_LIMIT = `{ limit: ${LIMIT}, window: ${WINDOW_MS} }`;
const FLEXIBLE_LIMIT = `points: ${LIMIT}, duration: ${WINDOW_MS / 1000}`;

const CLIENT = {
  imports: `import { Redis } from 'ioredis';`,
  make: `const client = new Redis(Number(process.argv[2]), '127.0.0.1');`,
};

const overClient = (imports: string, make: string): Start => ({
  imports: `${CLIENT.imports}\n${imports}`,
  make: `${CLIENT.make}\n${make}`,
});

const IN_MEMORY: Starts = new Map([
  [
    OURS,
    {
      imports: `import { createLimiter } from '@sluice/core';`,
      make: `const limiter = createLimiter(${OWN_LIMIT});\nconst ask = async (key) => limiter.consume(key);`,
    },
  ],
  [
    'rate-limiter-flexible',
    {
      imports: `import { RateLimiterMemory } from 'rate-limiter-flexible';`,
      make: `const limiter = new RateLimiterMemory({ ${FLEXIBLE_LIMIT} });\nconst ask = (key) => limiter.consume(key);`,
    },
  ],
]);

const OVER_REDIS: Starts = new Map([
  [
    OURS,
    overClient(
      `import { createLimiter } from '@sluice/core';\nimport { RedisStore } from '@sluice/redis';`,
      `const store = new RedisStore({ client });
const limiter = createLimiter({ limit: ${LIMIT}, window: ${WINDOW_MS}, store });
await store.ready();
const ask = (key) => limiter.consume(key);`,
    ),
  ],
  [
    'rate-limiter-flexible',
    overClient(
      `import { RateLimiterRedis } from 'rate-limiter-flexible';`,
      `const limiter = new RateLimiterRedis({ storeClient: client, ${FLEXIBLE_LIMIT} });\nconst ask = (key) => limiter.consume(key);`,
    ),
  ],
  [
    'rate-limit-redis',
    overClient(
      `import { RedisStore } from 'rate-limit-redis';`,
      `const store = new RedisStore({ sendCommand: (command, ...args) => client.call(command, ...args) });
await store.init({ windowMs: ${WINDOW_MS} });
const ask = (key) => store.increment(key);`,
    ),
  ],
]);

/**
 * Asks a server of the same process, by one connection as long as the server keeps it. All contenders of a framework have the same client.
 */
const ASKING = {
  imports: `import { once } from 'node:events';\nimport { connect } from 'node:net';`,
  make: `let socket;
const ask = async () => {
  if (socket?.readyState !== 'open') {
    socket = connect(port, '127.0.0.1').setEncoding('latin1');
    await once(socket, 'connect');
  }
  socket.write('GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n');
  for (let text = ''; !/"world"\\}(?:\\r\\n0\\r\\n\\r\\n)?$/.test(text); ) [text] = [text + (await once(socket, 'data'))[0]];
};`,
};

/** A server of a framework. `limiting` stands before its route. */
interface Framework {
  readonly imports: string;
  /** Makes the server, and defines its `port`. */
  serve(limiting: string): string;
}

const EXPRESS: Framework = {
  imports: `import express from 'express';`,
  serve: (limiting) => `const app = express();
${limiting}
app.get('/', (_req, res) => void res.json({ hello: 'world' }));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();`,
};

const FASTIFY: Framework = {
  imports: `import fastify from 'fastify';`,
  serve: (limiting) => `const app = fastify();
${limiting}
app.get('/', async () => ({ hello: 'world' }));
await app.listen({ port: 0, host: '127.0.0.1' });
const { port } = app.server.address();`,
};

const HONO: Framework = {
  imports: `import { serve } from '@hono/node-server';\nimport { Hono } from 'hono';`,
  serve: (limiting) => `const app = new Hono();
${limiting}
app.get('/', (c) => c.json({ hello: 'world' }));
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
await once(server, 'listening');
const { port } = server.address();`,
};

/** Without the syntax of decorators, which Node.js does not know. `limiting` defines the imports of the module, and its providers. */
const NEST: Framework = {
  imports: `import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';`,
  serve: (limiting) => `class Greeter {
  greet() {
    return { hello: 'world' };
  }
}
Get()(Greeter.prototype, 'greet', Object.getOwnPropertyDescriptor(Greeter.prototype, 'greet'));
Controller()(Greeter);
class App {}
${limiting}
Module({ controllers: [Greeter], imports, providers })(App);
const app = await NestFactory.create(App, new ExpressAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
const { port } = app.getHttpServer().address();`,
};

/** What stands before the route: an import, and its use. */
type Limiting = readonly [imports: string, use: string];

function serving({ imports, serve }: Framework, limiting: Readonly<Record<string, Limiting>>): Starts {
  return new Map(
    Object.entries(limiting).map(([name, [own, use]]) => [
      name,
      { imports: [ASKING.imports, imports, own].join('\n'), make: [serve(use), ASKING.make].join('\n') },
    ]),
  );
}

const BARE = 'bare route';

/** By what they do. */
export const STARTS: ReadonlyMap<string, Starts> = new Map([
  ['In memory', IN_MEMORY],
  ['Over Redis, `ready()` included', OVER_REDIS],
  [
    'Express',
    serving(EXPRESS, {
      [BARE]: ['', ''],
      [OURS]: [`import { rateLimit } from '@sluice/express';`, `app.use(rateLimit(${OWN_LIMIT}));`],
      'express-rate-limit': [
        `import { rateLimit } from 'express-rate-limit';`,
        `app.use(rateLimit({ limit: ${LIMIT}, windowMs: ${WINDOW_MS}, standardHeaders: 'draft-7', legacyHeaders: true }));`,
      ],
    }),
  ],
  [
    'Fastify',
    serving(FASTIFY, {
      [BARE]: ['', ''],
      [OURS]: [`import rateLimit from '@sluice/fastify';`, `await app.register(rateLimit, ${OWN_LIMIT});`],
      '@fastify/rate-limit': [
        `import rateLimit from '@fastify/rate-limit';`,
        `await app.register(rateLimit, { max: ${LIMIT}, timeWindow: ${WINDOW_MS} });`,
      ],
    }),
  ],
  [
    'Nest on Express',
    serving(NEST, {
      [BARE]: ['', 'const [imports, providers] = [[], []];'],
      [OURS]: [
        `import { RateLimitGuard, RateLimitModule } from '@sluice/nestjs';`,
        `const imports = [RateLimitModule.forRoot(${OWN_LIMIT})];
const providers = [{ provide: APP_GUARD, useClass: RateLimitGuard }];`,
      ],
      '@nestjs/throttler': [
        `import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';`,
        `const imports = [ThrottlerModule.forRoot({ throttlers: [{ limit: ${LIMIT}, ttl: ${WINDOW_MS} }] })];
const providers = [{ provide: APP_GUARD, useClass: ThrottlerGuard }];`,
      ],
    }),
  ],
  [
    'Hono',
    serving(HONO, {
      [BARE]: ['', ''],
      [OURS]: [`import { rateLimit } from '@sluice/hono';`, `app.use(rateLimit(${OWN_LIMIT}));`],
    }),
  ],
]);

/** The stages of a start. Each time is that since the process began, in milliseconds, but for the last one. */
export interface Stages {
  readonly imported: number;
  readonly made: number;
  readonly first: number;
  readonly tenth: number;
  readonly hundredth: number;
  /** How long a call takes after the process has rested. */
  readonly rested: number;
}

/**
 * Returns the text of a program that goes through all stages, and prints their times as JSON. Its argument is the port of a Redis. It does not
 * read `performance`, which Node.js loads only for who does.
 */
export function programOf({ imports, make }: Start, restMs: number): string {
  return `${imports}
const stages = {};
const ended = (stage) => void (stages[stage] = 1000 * process.uptime());
ended('imported');
${make}
ended('made');
const keyOf = (i) => Buffer.from(\`\${process.pid}-\${i}\`.padStart(36, '0'), 'latin1').toString('latin1');
for (let i = 1; i <= 100; i += 1) {
  await ask(keyOf(i));
  if (i === 1) ended('first');
  if (i === 10) ended('tenth');
}
ended('hundredth');
await new Promise((resolve) => setTimeout(resolve, ${restMs}));
const restedS = process.uptime();
await ask(keyOf(101));
stages.rested = 1000 * (process.uptime() - restedS);
process.stdout.write(\`\${JSON.stringify(stages)}\\n\`, () => process.exit());
`;
}
