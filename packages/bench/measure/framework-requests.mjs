// What limiting adds to a request of Express and of Fastify, in microseconds of the processor, without a network: Node's own
// requests and responses over a connection that takes all and sends nothing. It shows differences that the network hides.
//
//   npx tsc -b && node packages/bench/measure/framework-requests.mjs express|fastify allowed|refused [checkout]
//
// Each contender has processes of its own, which take turns. With another checkout, which has to be built, its Sluice is
// measured in the same rounds. Started with the name of a contender, it is one of them.
import { execFile } from 'node:child_process';
import { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { Duplex } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import fastifyRateLimit from '@fastify/rate-limit';
import express from 'express';
import { rateLimit as expressRateLimit } from 'express-rate-limit';
import fastify from 'fastify';
import { headerCounter } from '../dist/contenders/http/header-counter.js';

const [ROUNDS, CLIENTS] = [3, 10_000];
/** How many requests come before those that are measured, until all is compiled, and how many are measured. */
const REQUESTS = { express: [11_000, 8_000], fastify: [100_000, 50_000] };
const here = resolve(import.meta.dirname, '../../..');
const [host, outcome, checkout = here, contender] = process.argv.slice(2);
const quota = { limit: outcome === 'allowed' ? 1_000_000_000 : 1, windowMs: 3_600_000 };
const { limit, windowMs } = quota;
const greeting = { hello: 'world' };

const rateLimitOf = async (from, name) =>
  (await import(pathToFileURL(resolve(from, `packages/${name}/dist/esm/index.js`)).href)).rateLimit;

/** Options by which a request takes further steps. */
const hooked = {
  onDecision() {},
  onLimitReached() {},
  message: ({ url }) => `${url} is limited`,
  extraHeaders: { 'X-Plan': 'free' },
};

const sluices = (make) => ({
  Sluice: () => make(here, {}),
  'Sluice, hooks and message': () => make(here, hooked),
  'other checkout': () => make(checkout, {}),
  'other checkout, hooks and message': () => make(checkout, hooked),
});

const FRAMEWORKS = {
  express: {
    contenders: () => {
      const keyGenerator = (req) => req.get('x-client') ?? '';
      return {
        bare: () => undefined,
        'Map counter, same fields': async () => {
          const count = await headerCounter(quota);
          return (req, res, next) => {
            const { headers, refusal } = count(keyGenerator(req));
            for (const name in headers) res.setHeader(name, headers[name]);
            if (refusal === undefined) return next();
            res.statusCode = 429;
            res.end(refusal);
          };
        },
        'express-rate-limit': () =>
          expressRateLimit({ limit, windowMs, keyGenerator, standardHeaders: 'draft-7', legacyHeaders: true }),
        ...sluices(async (from, options) =>
          (await rateLimitOf(from, 'express'))({ limit, window: windowMs, keyGenerator, ...options }),
        ),
      };
    },
    listener: (middleware) => {
      const app = express();
      if (middleware) app.use(middleware);
      app.get('/', (_req, res) => void res.json(greeting));
      return app;
    },
  },
  fastify: {
    contenders: () => {
      const keyGenerator = ({ headers }) => `${headers['x-client']}`;
      return {
        bare: () => undefined,
        'Map counter, same fields': async () => {
          const count = await headerCounter(quota);
          return (app) =>
            app.addHook('onRequest', (request, reply, done) => {
              const { headers, refusal } = count(keyGenerator(request));
              reply.headers(headers);
              if (refusal === undefined) return done();
              reply.code(429).send(refusal);
            });
        },
        '@fastify/rate-limit': () => (app) =>
          app.register(fastifyRateLimit, { max: limit, timeWindow: windowMs, keyGenerator, cache: 2 * CLIENTS }),
        ...sluices(async (from, options) => {
          const rateLimit = await rateLimitOf(from, 'fastify');
          return (app) => app.register(rateLimit, { limit, window: windowMs, keyGenerator, ...options });
        }),
      };
    },
    listener: async (install) => {
      const app = fastify();
      await install?.(app);
      app.get('/', async () => greeting);
      await app.ready();
      return app.routing;
    },
  },
};

/** Takes all, and sends nothing. */
class Connection extends Duplex {
  remoteAddress = '127.0.0.1';
  _read() {}
  _write(_chunk, _encoding, done) {
    done();
  }
  _writev(_chunks, done) {
    done();
  }
}

/** Resolves when the request of a client is answered. */
function answered(listener, connection, client) {
  return new Promise((done) => {
    const req = new IncomingMessage(connection);
    const [method, url, rawHeaders] = ['GET', '/', ['host', 'bench', 'x-client', `client-${client}`]];
    const headers = { host: 'bench', 'x-client': `client-${client}` };
    Object.assign(req, { method, url, rawHeaders, headers, httpVersionMajor: 1, httpVersionMinor: 1 });
    req.push(null);
    const res = new ServerResponse(req);
    res.assignSocket(connection);
    res.on('finish', () => {
      res.detachSocket(connection);
      done();
    });
    listener(req, res);
  });
}

/** Prints the microseconds of the processor for each request of a contender. */
async function measure() {
  const { contenders, listener: listenerOf } = FRAMEWORKS[host];
  const listener = await listenerOf(await contenders()[contender]());
  const connection = new Connection();
  let client = 0;
  const requests = async (count) => {
    for (let i = 0; i < count; i += 1) {
      client = (client + 1) % CLIENTS;
      await answered(listener, connection, client);
    }
  };
  const [warmUps, measured] = REQUESTS[host];
  await requests(warmUps);
  const started = process.cpuUsage();
  await requests(measured);
  const { user, system } = process.cpuUsage(started);
  console.log((user + system) / measured);
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

async function compare() {
  const run = promisify(execFile);
  const others = checkout === here ? [] : ['other checkout', 'other checkout, hooks and message'];
  const names = Object.keys(FRAMEWORKS[host].contenders()).filter(
    (name) => !name.startsWith('other') || others.includes(name),
  );
  const rounds = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) {
      const { stdout } = await run(process.execPath, [import.meta.filename, host, outcome, checkout, name]);
      rounds.get(name).push(Number(stdout.trim().split('\n').at(-1)));
    }
  }
  const bare = median(rounds.get('bare'));
  for (const [name, values] of rounds) {
    const more = (median(values) - bare).toFixed(2);
    console.log(`${name.padEnd(34)} ${median(values).toFixed(2)} µs, ${more} more than the bare route`);
  }
}

if (contender) await measure();
else await compare();
process.exit();
