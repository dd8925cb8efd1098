import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { MariadbServer } from '../debian/mariadb-server.js';
import { PostgresServer } from '../postgres/postgres-server.js';
import { RedisServer } from '../redis/redis-server.js';
import type { Contender } from './contender.js';
import { inMemory, overCluster, overSqlite, servePrimary } from './on-one-machine.js';
import { overMariadb } from './over-mariadb.js';
import { overPostgres } from './over-postgres.js';
import { overRedis } from './over-redis.js';

// What a decision costs over each store, in turns and in one run: `npm run bench -w @sluice/test-kit`. With a path as its argument,
// it is the primary of one of them.

const ROUNDS = 7;
const ROUND_MS = Number(process.env.SLUICE_ROUND_MS ?? 700);
const KEYS = 10_000;

/** How many ask at once, and about which keys. */
const LOADS = [
  { title: 'One caller, 10,000 keys', callers: 1, keyOf: (i: number) => `key-${(i * 7919) % KEYS}` },
  { title: '64 callers, 10,000 keys', callers: 64, keyOf: (i: number) => `key-${(i * 7919) % KEYS}` },
  { title: '64 callers, one key', callers: 64, keyOf: () => 'ann' },
] as const;

type Load = (typeof LOADS)[number];

interface Round {
  readonly perSecond: number;
  readonly p50Us: number;
  /** Of the whole machine, on which nothing else is to run. */
  readonly processorUs: number;
}

/** Callers that wait for nothing let the event loop turn as often as this. */
const ASKED_IN_A_TURN = 100;

async function measured({ ask }: Contender, { callers, keyOf }: Load, ms = ROUND_MS): Promise<Round> {
  const timesUs: number[] = [];
  let asked = 0;
  const startMs = performance.now();
  const startBusyMs = busyMs();
  const call = async (): Promise<void> => {
    while (performance.now() < startMs + ms) {
      asked += 1;
      const askedMs = performance.now();
      const answer = ask(keyOf(asked));
      if (isPromise(answer)) await answer;
      else if (asked % ASKED_IN_A_TURN === 0) await turn();
      timesUs.push((performance.now() - askedMs) * 1000);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return {
    perSecond: (asked * 1000) / (performance.now() - startMs),
    p50Us: medianOf(timesUs),
    processorUs: ((busyMs() - startBusyMs) * 1000) / asked,
  };
}

const isPromise = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof (answer as { then?: unknown } | undefined)?.then === 'function';

function busyMs(): number {
  return cpus().reduce((sum, { times: { user, sys, irq } }) => sum + user + sys + irq, 0);
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number;
}

const rounded = (value: number): string =>
  value < 10 ? value.toPrecision(2) : Math.round(value).toLocaleString('en-US');

/** Round by round beside the first, so that a machine that is busy for a while is so for all. */
function ratios(own: readonly Round[], first: readonly Round[], what: keyof Round): string {
  const all = own.map((round, i) => round[what] / (first[i] as Round)[what]).toSorted((a, b) => a - b);
  return `${rounded(medianOf(all))} (${rounded(all[0] as number)} to ${rounded(all.at(-1) as number)})`;
}

async function compare(load: Load, contenders: readonly Contender[]): Promise<void> {
  const rounds = contenders.map((): Round[] => []);
  for (const contender of contenders) await measured(contender, load, 2 * ROUND_MS);
  for (let i = 0; i < ROUNDS; i += 1)
    for (const [place, contender] of contenders.entries()) rounds[place]?.push(await measured(contender, load));
  const [first = []] = rounds;
  console.log(
    `| ${load.title} | p50, µs | p50, times Redis | decisions a second, times Redis | processor, times Redis |`,
  );
  console.log('| --- | --- | --- | --- | --- |');
  for (const [place, { name }] of contenders.entries()) {
    const own = rounds[place] as Round[];
    const cells = (['p50Us', 'perSecond', 'processorUs'] as const).map((what) => ratios(own, first, what));
    console.log(`| ${[name, rounded(medianOf(own.map(({ p50Us }) => p50Us))), ...cells].join(' | ')} |`);
  }
  console.log();
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-side-by-side-'));
  const contenders = [
    ...(await overRedis(await RedisServer.start())),
    inMemory(),
    await overCluster(process.argv[1] as string, folder),
    ...(await overSqlite(folder)),
    // As a database is run: what is written is on the disk in the end.
    ...(await overPostgres(
      await PostgresServer.start({ fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' }),
    )),
    ...(await overMariadb(await MariadbServer.start())),
  ];
  console.log(
    `${new Date().toISOString()}, Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}\n`,
  );
  for (const load of LOADS) await compare(load, contenders);
  for (const contender of contenders) await contender.end();
  rmSync(folder, { recursive: true });
}

const [, , channel] = process.argv;
if (channel === undefined) main();
else servePrimary(channel);
