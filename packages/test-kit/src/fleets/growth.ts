import { cpus } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createLimiter, LeasedStore, type Limiter, ShardedStore, type Store, SyncedStore } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';
import { RedisCluster } from '../redis/redis-cluster.js';
import { RedisServer } from '../redis/redis-server.js';
import { seededRandom } from '../seeded-random.js';

// What each way to count in Redis takes of its servers, by how many requests come: `npm run growth -w @sluice/test-kit`. With
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

/** Servers, and the store of one instance over them. */
interface Form {
  readonly name: string;
  readonly loads: readonly Load[];
  readonly start: () => Promise<readonly RedisServer[]>;
  /** Makes the store of an instance. `end` is called after the store was closed. */
  readonly storeOver: (servers: readonly RedisServer[]) => { readonly store: Store<true>; readonly end: () => void };
}

const startOne = (): Promise<readonly RedisServer[]> => RedisServer.startAll(1);

const overOne =
  (inFront: (store: Store<true>) => Store<true>): Form['storeOver'] =>
  ([server]) => {
    const client = new Redis((server as RedisServer).port, '127.0.0.1');
    return {
      store: inFront(new RedisStore({ client, timeout, instances: INSTANCES })),
      end: () => client.disconnect(),
    };
  };

let cluster: RedisCluster | undefined;

const FORMS: readonly Form[] = [
  {
    name: 'RedisStore',
    loads: ['10,000 users', '100 tenants', 'one key'],
    start: startOne,
    storeOver: overOne((store) => store),
  },
  {
    name: 'LeasedStore',
    loads: ['10,000 users', '100 tenants', 'one key'],
    start: startOne,
    storeOver: overOne((store) => new LeasedStore({ store })),
  },
  {
    name: 'SyncedStore',
    loads: ['10,000 users', '100 tenants', 'one key'],
    start: startOne,
    storeOver: overOne((store) => new SyncedStore({ store })),
  },
  {
    name: 'ShardedStore of three',
    loads: ['10,000 users', '100 tenants'],
    start: () => RedisServer.startAll(3),
    storeOver: (servers) => {
      const clients = servers.map(({ port }) => new Redis(port, '127.0.0.1'));
      const nodes = clients.map((client, i) => [
        `node-${i}`,
        new RedisStore({ client, timeout, instances: INSTANCES }),
      ]);
      return {
        store: new ShardedStore({ nodes: Object.fromEntries(nodes) }),
        end: () => {
          for (const client of clients) client.disconnect();
        },
      };
    },
  },
  {
    name: 'a cluster of three',
    loads: ['10,000 users', '100 tenants'],
    start: async () => {
      cluster = await RedisCluster.start();
      return cluster.servers;
    },
    storeOver: () => {
      const client = (cluster as RedisCluster).connect();
      return {
        store: new RedisStore({ client, timeout, instances: INSTANCES }),
        end: () => client.disconnect(),
      };
    },
  },
];

/** What servers have done together since they were started. */
interface Work {
  readonly processorMs: number;
  readonly calls: number;
  readonly bytes: number;
  readonly connections: number;
}

async function workOf(observers: readonly Redis[]): Promise<Work> {
  const sum = { processorMs: 0, calls: 0, bytes: 0, connections: 0 };
  for (const observer of observers) {
    const info = await observer.info('everything');
    const of = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
    sum.processorMs += 1000 * (of('used_cpu_user') + of('used_cpu_sys'));
    sum.bytes += of('total_net_input_bytes') + of('total_net_output_bytes');
    sum.connections += of('total_connections_received');
    for (const [, calls] of info.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)) sum.calls += Number(calls);
  }
  return sum;
}

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
  value < 10 ? value.toPrecision(2) : Math.round(value).toLocaleString('en-US');

async function measure(form: Form, name: Load, perSecond: number): Promise<void> {
  const servers = await form.start();
  const observers = servers.map(({ port }) => new Redis(port, '127.0.0.1'));
  const instances = Array.from({ length: INSTANCES }, () => form.storeOver(servers));
  const limiters = instances.map(({ store }) =>
    createLimiter<string, true>({ name: 'growth', limit: 1_000_000_000, window: '1m', store }),
  );
  const keys = LOADS[name];
  try {
    await load(limiters, { perSecond, keys, ms: SETTLE_MS });
    const before = await workOf(observers);
    const waitsMs = (await load(limiters, { perSecond, keys, ms: MEASURED_MS })).toSorted((one, other) => one - other);
    const after = await workOf(observers);
    const decisions = waitsMs.length;
    const each = (what: keyof Work): number => (after[what] - before[what]) / decisions;
    const at = (part: number): string => figure(waitsMs[Math.floor((decisions - 1) * part)] as number);
    const cells = [
      form.name,
      name,
      figure((1000 * decisions) / MEASURED_MS),
      figure(1000 * each('processorMs')),
      figure((decisions * each('processorMs')) / MEASURED_MS),
      figure((1000 * decisions * each('calls')) / MEASURED_MS),
      figure(each('bytes')),
      `${observers.length * INSTANCES}`,
      `${at(0.5)}, ${at(0.99)}`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  } finally {
    for (const { store, end } of instances) {
      await store.close();
      end();
    }
    for (const observer of observers) observer.disconnect();
    await Promise.all(servers.map((server) => server.stop()));
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
    "µs of Redis' processor for one",
    'cores of Redis',
    'calls a second',
    'bytes for one',
    'connections',
    'p50, p99 in ms',
  ];
  console.log(`| ${head.join(' | ')} |\n| ${head.map(() => '---').join(' | ')} |`);
  const { values } = parseArgs({ options: { 'per-second': { type: 'string', multiple: true, default: RATES } } });
  for (const perSecond of values['per-second']) {
    for (const form of FORMS) for (const name of form.loads) await measure(form, name, Number(perSecond));
  }
}

main();
