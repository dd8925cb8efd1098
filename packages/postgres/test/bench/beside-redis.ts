import { cpus } from 'node:os';
import { type Store, slidingWindow } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';
import { PostgresStore } from '../../src/index.js';

const ROUNDS = 7;
const ROUND_MS = 700;
const KEYS = 10_000;

/** How many ask at once, and about which keys. */
const LOADS = [
  { title: 'one caller, 10,000 keys', callers: 1, keyOf: (i: number) => `key-${(i * 7919) % KEYS}` },
  { title: '32 callers, 10,000 keys', callers: 32, keyOf: (i: number) => `key-${(i * 7919) % KEYS}` },
  { title: '32 callers, one key', callers: 32, keyOf: () => 'ann' },
] as const;

type Load = (typeof LOADS)[number];

interface Round {
  readonly perSecond: number;
  readonly p50Ms: number;
}

const LIMIT = slidingWindow({ limit: 1_000_000_000, window: '1h' });

async function measured(store: Store<true>, { callers, keyOf }: Load, ms = ROUND_MS): Promise<Round> {
  const times: number[] = [];
  const startMs = performance.now();
  let asked = 0;
  const call = async (): Promise<void> => {
    while (performance.now() < startMs + ms) {
      const key = keyOf(asked);
      asked += 1;
      const askedMs = performance.now();
      await store.consume({ checks: [{ policy: 'bench', name: 'n', key, limit: LIMIT, cost: 1 }] });
      times.push(performance.now() - askedMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return { perSecond: (times.length * 1000) / (performance.now() - startMs), p50Ms: medianOf(times) };
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number;
}

/** Round by round beside the first, so that a machine that is busy for a while is so for all. */
function ratios(own: readonly Round[], first: readonly Round[], what: keyof Round): string {
  const all = own.map((round, i) => round[what] / (first[i] as Round)[what]).toSorted((a, b) => a - b);
  return `${medianOf(all).toFixed(2)} (${all[0]?.toFixed(2)} to ${all.at(-1)?.toFixed(2)})`;
}

async function main(): Promise<void> {
  const redis = await RedisServer.start();
  // As a database is run: what is written is on the disk in the end.
  const postgres = await PostgresServer.start({ fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' });
  const redisClient = new Redis(redis.port);
  const client = postgres.pool({ max: 10 });
  const stores: Readonly<Record<string, PostgresStore | RedisStore>> = {
    Redis: new RedisStore({ client: redisClient }),
    PostgreSQL: new PostgresStore({ client }),
    'PostgreSQL, unlogged table': new PostgresStore({ client, table: 'unlogged' }),
    'PostgreSQL, durable': new PostgresStore({ client, table: 'durable', durable: true }),
  };
  for (const [name, store] of Object.entries(stores)) {
    if (store instanceof PostgresStore) await store.createTable({ unlogged: name.endsWith('unlogged table') });
  }
  console.log(`Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}\n`);
  for (const load of LOADS) {
    const rounds = new Map(Object.keys(stores).map((name) => [name, [] as Round[]]));
    for (const store of Object.values(stores)) await measured(store, load, 2 * ROUND_MS);
    for (let i = 0; i < ROUNDS; i += 1) {
      for (const [name, store] of Object.entries(stores)) rounds.get(name)?.push(await measured(store, load));
    }
    const first = rounds.get('Redis') as Round[];
    console.log(`| ${load.title} | decisions a second, times Redis | p50, ms | p50, times Redis |`);
    console.log('| --- | --- | --- | --- |');
    for (const [name, own] of rounds) {
      const p50Ms = medianOf(own.map((round) => round.p50Ms)).toFixed(2);
      console.log(`| ${name} | ${ratios(own, first, 'perSecond')} | ${p50Ms} | ${ratios(own, first, 'p50Ms')} |`);
    }
    console.log();
  }
  await Promise.all(Object.values(stores).map((store) => store.close()));
  redisClient.disconnect();
  await Promise.all([redis.stop(), postgres.stop()]);
}

main();
