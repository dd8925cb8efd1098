// What a decision costs over each client of Redis, beside the minimal script through the same client: decisions a second, and
// microseconds of this process's processor for each. It starts a server of Redis on a free port, and stops it. Upstash is missing:
// without its service, its row would measure our proxy.
//
//   npx tsc -b && node packages/bench/measure/redis-clients.mjs [rounds] [milliseconds of a round]
import { createLimiter, slidingWindow } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import { GlideClient } from '@valkey/valkey-glide';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { Redis as Valkey } from 'iovalkey';
import { createClient } from 'redis';
import { createClient as createClient4 } from 'redis4';
import { createClient as createClient5 } from 'redis5';
import { GlideDriver } from '../../../examples/shared/dist/glide-driver.js';
import { processorMs } from '../dist/processor-time.js';
import { RedisServer } from '../dist/redis-server.js';
import { warmRounds } from '../dist/rounds.js';
import { ratios, spreadOf } from '../dist/spread.js';
import { markdown, rate } from '../dist/table.js';

const [rounds = 12, roundMs = 250] = process.argv.slice(2).map(Number);
const [KEYS, WINDOW_MS, LIMIT] = [10_000, 3_600_000, 1_000_000_000];

/** The least that can be called a fixed window, as in the section `redis`. */
const MINIMAL = `
  local count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return { count, redis.call('PTTL', KEYS[1]) }
`;

const host = '127.0.0.1';
const server = await RedisServer.start();
const { port } = server;
const loading = new Redis(port, host);
const sha = await loading.script('LOAD', MINIMAL);
loading.disconnect();

/** What each client has: itself or its driver, the minimal script through it, and how it ends. */
const overIoredis = (client) => ({
  client,
  bare: (key) => client.evalsha(sha, 1, key, WINDOW_MS),
  end: () => client.disconnect(),
});

async function overNodeRedis(create) {
  const client = create({ socket: { host, port } });
  client.on('error', () => {});
  await client.connect();
  const bare = (key) => client.sendCommand(['EVALSHA', sha, '1', key, `${WINDOW_MS}`]);
  return { client, bare, end: () => (client.destroy ? client.destroy() : client.disconnect()) };
}

async function overGlide() {
  const client = await GlideClient.createClient({ addresses: [{ host, port }], requestTimeout: 10_000 });
  const bare = (key) => client.customCommand(['EVALSHA', sha, '1', key, `${WINDOW_MS}`]);
  return { client: new GlideDriver(client), bare, end: () => client.close() };
}

const connections = new Map([
  ['ioredis 6', overIoredis(new Redis(port, host))],
  ['ioredis 5', overIoredis(new Redis5(port, host))],
  ['iovalkey', overIoredis(new Valkey(port, host))],
  ['node-redis 6', await overNodeRedis(createClient)],
  ['node-redis 5', await overNodeRedis(createClient5)],
  ['node-redis 4', await overNodeRedis(createClient4)],
  ['Valkey GLIDE', await overGlide()],
]);

/** Has so many callers ask for the time of a round. */
async function loadOf(ask, callers) {
  const [startMs, startedAtMs] = [processorMs(), performance.now()];
  let decisions = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() - startedAtMs < roundMs) {
        decisions += 1;
        await ask(`user-${decisions % KEYS}`);
      }
    }),
  );
  const perSecond = (1_000 * decisions) / (performance.now() - startedAtMs);
  return { perSecond, processorUs: (1_000 * (processorMs() - startMs)) / decisions };
}

/** Makes what is measured of one client: its store decides, or the minimal script does. */
function subjectsOf(name, { client, bare }, number) {
  const store = new RedisStore({ client, prefix: `${number}:`, timeout: '10s' });
  const limiter = createLimiter({ name: 'api', limit: slidingWindow({ limit: LIMIT, window: WINDOW_MS }), store });
  const decide = async (key) => {
    const { source } = await limiter.consume(key);
    if (source !== 'store') throw new Error(`Over ${name}, not the store has answered, but ${source}`);
  };
  return { name, decide, bare: (key) => bare(`${number}:${key}`) };
}

const subjects = [...connections].map(([name, connection], i) => subjectsOf(name, connection, i));

for (const callers of [1, 64]) {
  const works = subjects.flatMap(({ name, decide, bare }) => [
    [`${name}, minimal script`, () => loadOf(bare, callers)],
    [`${name}, Sluice`, () => loadOf(decide, callers)],
  ]);
  const results = await warmRounds(2 * roundMs, rounds, new Map(works));
  const of = (name, what) => results.get(name).map((load) => load[what]);
  console.log(
    markdown({
      caption: `${callers} ${callers === 1 ? 'caller' : 'callers'} at once, ${KEYS.toLocaleString('en')} keys, sliding window, allowed`,
      head: ['', 'decisions', 'times the minimal script', "µs of the caller's processor", 'µs of the minimal script'],
      rows: subjects.map(({ name }) => {
        const [own, least] = [`${name}, Sluice`, `${name}, minimal script`];
        return [
          name,
          rate(spreadOf(of(own, 'perSecond')).median),
          ratios(of(own, 'perSecond'), of(least, 'perSecond')),
          spreadOf(of(own, 'processorUs')),
          spreadOf(of(least, 'processorUs')),
        ];
      }),
    }),
    '\n',
  );
}

for (const { end } of connections.values()) end();
await server.stop();
