import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createLimiter, LeasedStore, type Limiter, ShardedStore, type Store, SyncedStore } from '@sluice/core';
import { PostgresStore } from '@sluice/postgres';
import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';
import { PostgresServer } from '../postgres/postgres-server.js';
import { RedisCluster } from '../redis/redis-cluster.js';
import { RedisServer } from '../redis/redis-server.js';
import { seededRandom } from '../seeded-random.js';

// What each way to count takes of its servers, by how many requests come: `npm run growth -w @sluice/test-kit`. With
// `-- --per-second 5000`, so many come.

const INSTANCES = 10;

/** Of all instances together. */
const RATES = ['1000', '30000'];

const SETTLE_MS = 3_000;
const MEASURED_MS = 5_000;

/** The most that is asked before the event loop turns, so that replies are read. */
const ASKED_IN_A_TURN = 50;

/** A busy machine is not to end a decision. */
const timeout = '30s';

/** One request in a second or less of each; some tenants with all requests; one limit for everyone. */
const LOADS = { '10,000 users': 10_000, '100 tenants': 100, 'one key': 1 } as const;

type Load = keyof typeof LOADS;

/** A way to count. */
interface Form {
  readonly name: string;
  readonly loads: readonly Load[];
  /** More requests a second than it can decide are not tried. */
  readonly mostPerSecond?: number;
  readonly start: () => Promise<Running>;
}

/** Servers that were started for a form. */
interface Running {
  /** Makes the store of an instance. `end` is called after the store was closed. */
  readonly storeOf: () => { readonly store: Store<true>; readonly end: () => void };
  readonly workOf: () => Promise<Work>;
  readonly stop: () => Promise<void>;
}

/** What servers have done together since they were started. */
interface Work {
  readonly processorMs: number;
  readonly calls: number;
  /** Undefined if the server does not count them. */
  readonly bytes?: number;
}

/** The work of the servers of Redis, as they tell it. */
async function workOfRedis(observers: readonly Redis[]): Promise<Work> {
  const sum = { processorMs: 0, calls: 0, bytes: 0 };
  for (const observer of observers) {
    const info = await observer.info('everything');
    const of = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
    sum.processorMs += 1000 * (of('used_cpu_user') + of('used_cpu_sys'));
    sum.bytes += of('total_net_input_bytes') + of('total_net_output_bytes');
    for (const [, calls] of info.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)) sum.calls += Number(calls);
  }
  return sum;
}

function overRedis(
  servers: readonly RedisServer[],
  storeOf: Running['storeOf'],
  stop = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.stop()))),
): Running {
  const observers = servers.map(({ port }) => new Redis(port, '127.0.0.1'));
  return {
    storeOf,
    workOf: () => workOfRedis(observers),
    async stop() {
      for (const observer of observers) observer.disconnect();
      await stop();
    },
  };
}

/** Over one Redis, with a store in front of it or none. */
const alone =
  (inFront: (store: Store<true>) => Store<true>): Form['start'] =>
  async () => {
    const server = await RedisServer.start();
    return overRedis([server], () => {
      const client = new Redis(server.port, '127.0.0.1');
      const store = inFront(new RedisStore({ client, timeout, instances: INSTANCES }));
      return { store, end: () => client.disconnect() };
    });
  };

async function sharded(): Promise<Running> {
  const servers = await RedisServer.startAll(3);
  return overRedis(servers, () => {
    const clients = servers.map(({ port }) => new Redis(port, '127.0.0.1'));
    const nodes = clients.map((client, i) => [`node-${i}`, new RedisStore({ client, timeout, instances: INSTANCES })]);
    return {
      store: new ShardedStore({ nodes: Object.fromEntries(nodes) }),
      end: () => {
        for (const client of clients) client.disconnect();
      },
    };
  });
}

async function inCluster(): Promise<Running> {
  const cluster = await RedisCluster.start();
  const storeOf = (): ReturnType<Running['storeOf']> => {
    const client = cluster.connect();
    return {
      store: new RedisStore({ client, timeout, instances: INSTANCES }),
      end: () => client.disconnect(),
    };
  };
  return overRedis(cluster.servers, storeOf, () => cluster.stop());
}

/** Clock ticks of a processor in a second, in which Linux counts the time of a process. */
const TICKS = 100;

/** As a database is run: what is written is on the disk in the end. */
async function overPostgres(): Promise<Running> {
  const server = await PostgresServer.start({ fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' });
  const observer = server.pool({ max: 1 });
  await new PostgresStore({ client: observer }).createTable();
  return {
    storeOf: () => ({
      store: new PostgresStore({ client: server.pool({ max: 10 }), timeout, instances: INSTANCES }),
      end: () => {},
    }),
    async workOf() {
      const { rows } = await observer.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
      const [counts] = (
        await observer.query('SELECT xact_commit AS calls FROM pg_stat_database WHERE datname = current_database()')
      ).rows as { calls: string }[];
      return {
        processorMs: rows.reduce((sum, { pid }) => sum + processorMsOf(pid), 0),
        calls: Number(counts?.calls),
      };
    },
    stop: () => server.stop(),
  };
}

/** How long a process of this machine has computed. */
function processorMsOf(pid: number): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return 0;
  const fields = readFileSync(path, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (1000 * (Number(fields[11]) + Number(fields[12]))) / TICKS;
}

const ALL: readonly Load[] = ['10,000 users', '100 tenants', 'one key'];
const MANY: readonly Load[] = ['10,000 users', '100 tenants'];

const FORMS: readonly Form[] = [
  { name: 'RedisStore', loads: ALL, start: alone((store) => store) },
  { name: 'LeasedStore', loads: ALL, start: alone((store) => new LeasedStore({ store })) },
  { name: 'SyncedStore', loads: ALL, start: alone((store) => new SyncedStore({ store })) },
  { name: 'ShardedStore of three', loads: MANY, start: sharded },
  { name: 'a cluster of three', loads: MANY, start: inCluster },
  { name: 'PostgresStore', loads: ALL, start: overPostgres, mostPerSecond: 1000 },
];

/** Asks for so long as often as `perSecond` says, whether earlier requests have their answers or not. Returns how long each waited. */
async function load(
  limiters: readonly Limiter<string, true>[],
  { perSecond, keys, ms }: { readonly perSecond: number; readonly keys: number; readonly ms: number },
): Promise<readonly number[]> {
  const random = seededRandom(1);
  const waitsMs: number[] = [];
  const open = new Set<Promise<void>>();
  const ask = async (): Promise<void> => {
    const limiter = limiters[Math.floor(random() * limiters.length)] as Limiter<string, true>;
    const askedMs = performance.now();
    const { source } = await limiter.consume(`key-${Math.floor(random() * keys)}`);
    if (source !== 'store') throw new Error(`Not the store has decided, but ${source}`);
    waitsMs.push(performance.now() - askedMs);
  };
  const startMs = performance.now();
  for (let sent = 0, tookMs = 0; tookMs < ms; tookMs = performance.now() - startMs) {
    const due = Math.min(Math.floor((tookMs * perSecond) / 1000), sent + ASKED_IN_A_TURN);
    for (; sent < due; sent += 1) {
      const asking: Promise<void> = ask().finally(() => open.delete(asking));
      open.add(asking);
    }
    await turn();
  }
  await Promise.all(open);
  return waitsMs;
}

const figure = (value: number): string =>
  Number.isNaN(value) ? 'not counted' : value < 10 ? value.toPrecision(2) : Math.round(value).toLocaleString('en-US');

async function measure(form: Form, name: Load, perSecond: number): Promise<void> {
  const running = await form.start();
  const instances = Array.from({ length: INSTANCES }, running.storeOf);
  const limiters = instances.map(({ store }) =>
    createLimiter<string, true>({ name: 'growth', limit: 1_000_000_000, window: '1m', store }),
  );
  const keys = LOADS[name];
  try {
    await load(limiters, { perSecond, keys, ms: SETTLE_MS });
    const before = await running.workOf();
    const waitsMs = (await load(limiters, { perSecond, keys, ms: MEASURED_MS })).toSorted((one, other) => one - other);
    const after = await running.workOf();
    const decisions = waitsMs.length;
    const each = (what: keyof Work): number => ((after[what] ?? Number.NaN) - (before[what] ?? Number.NaN)) / decisions;
    const at = (part: number): string => figure(waitsMs[Math.floor((decisions - 1) * part)] as number);
    const cells = [
      form.name,
      name,
      figure((1000 * decisions) / MEASURED_MS),
      figure(1000 * each('processorMs')),
      figure((decisions * each('processorMs')) / MEASURED_MS),
      figure((1000 * decisions * each('calls')) / MEASURED_MS),
      figure(each('bytes')),
      `${at(0.5)}, ${at(0.99)}`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  } finally {
    for (const { store, end } of instances) {
      await store.close();
      end();
    }
    await running.stop();
  }
}

async function main(): Promise<void> {
  console.log(
    `${new Date().toISOString()}, Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${INSTANCES} instances\n`,
  );
  const head = [
    'Store',
    'Keys',
    'decisions a second',
    "µs of the servers' processor for one",
    'cores of servers',
    'calls a second',
    'bytes for one',
    'p50, p99 in ms',
  ];
  console.log(`| ${head.join(' | ')} |\n| ${head.map(() => '---').join(' | ')} |`);
  const { values } = parseArgs({ options: { 'per-second': { type: 'string', multiple: true, default: RATES } } });
  for (const perSecond of values['per-second']) {
    for (const form of FORMS) {
      if (Number(perSecond) > (form.mostPerSecond ?? Number.POSITIVE_INFINITY)) continue;
      for (const name of form.loads) await measure(form, name, Number(perSecond));
    }
  }
}

main();
