import { existsSync, readFileSync } from 'node:fs';
import type { Store } from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { PostgresStore } from '@sluice/postgres';
import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';
import { PostgresServer } from '../postgres/postgres-server.js';
import { RedisCluster } from '../redis/redis-cluster.js';
import { RedisServer } from '../redis/redis-server.js';

/** How many instances of an application ask. */
export const INSTANCES = 10;

/** So long that a busy machine does not end a decision. */
const timeout = '30s';

/** How many keys are asked about, each as often as any other. */
export const KEYS = { '10,000 users': 10_000, '100 tenants': 100, 'one key': 1 } as const;

export type Keys = keyof typeof KEYS;

/** A store, and the servers that it needs. */
export interface Deployment {
  readonly name: string;
  readonly keys: readonly Keys[];
  /** More requests a second than it can decide are not tried. */
  readonly mostPerSecond?: number;
  readonly start: () => Promise<RunningDeployment>;
}

interface RunningDeployment {
  /** Makes the store of an instance. `end` is called after the store was closed. */
  readonly storeOf: () => { readonly store: Store<true>; readonly end: () => void };
  readonly workOf: () => Promise<Work>;
  readonly stop: () => Promise<void>;
}

/** What the servers have done together since they were started. */
export interface Work {
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
  storeOf: RunningDeployment['storeOf'],
  stop = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.stop()))),
): RunningDeployment {
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
  (inFront: (store: Store<true>) => Store<true>): Deployment['start'] =>
  async () => {
    const server = await RedisServer.start();
    return overRedis([server], () => {
      const client = new Redis(server.port, '127.0.0.1');
      const store = inFront(new RedisStore({ client, timeout, instances: INSTANCES }));
      return { store, end: () => client.disconnect() };
    });
  };

async function sharded(): Promise<RunningDeployment> {
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

async function inCluster(): Promise<RunningDeployment> {
  const cluster = await RedisCluster.start();
  const storeOf = (): ReturnType<RunningDeployment['storeOf']> => {
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
const overPostgres = (inFront: (store: Store<true>) => Store<true>) => async (): Promise<RunningDeployment> => {
  const server = await PostgresServer.start({ fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' });
  const observer = server.pool({ max: 1 });
  await new PostgresStore({ client: observer }).createTable();
  return {
    storeOf: () => ({
      store: inFront(new PostgresStore({ client: server.pool({ max: 10 }), timeout, instances: INSTANCES })),
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
};

/** How long a process of this machine has computed. */
function processorMsOf(pid: number): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return 0;
  const fields = readFileSync(path, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (1000 * (Number(fields[11]) + Number(fields[12]))) / TICKS;
}

const ALL: readonly Keys[] = ['10,000 users', '100 tenants', 'one key'];
const MANY: readonly Keys[] = ['10,000 users', '100 tenants'];

export const DEPLOYMENTS: readonly Deployment[] = [
  { name: 'RedisStore', keys: ALL, start: alone((store) => store) },
  { name: 'LeasedStore', keys: ALL, start: alone((store) => new LeasedStore({ store })) },
  { name: 'SyncedStore', keys: ALL, start: alone((store) => new SyncedStore({ store })) },
  { name: 'ShardedStore of three', keys: MANY, start: sharded },
  { name: 'a cluster of three', keys: MANY, start: inCluster },
  { name: 'PostgresStore', keys: ALL, start: overPostgres((store) => store), mostPerSecond: 5000 },
  { name: 'LeasedStore over it', keys: ['one key'], start: overPostgres((store) => new LeasedStore({ store })) },
];
