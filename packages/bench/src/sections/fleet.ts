import type { Worker } from '../child-process.js';
import { FLEET_STORES, STRICT } from '../contenders/redis/fleet.js';
import { RedisServer } from '../redis-server.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import { ratios, spreadOf } from '../spread.js';
import type { Cell, Table } from '../table.js';
import type { FleetLoad, FleetWork } from '../tasks/fleet.js';
import { startWorker } from '../worker.js';

/** What the requests of a fleet have in common. */
type Case = Pick<FleetLoad, 'limit' | 'keys' | 'spread' | 'perSecond'> & { readonly caption: string };

/** Longer than what slices and counts need to find their size. */
const SETTLE_MS = 3_000;

/** Of a minute: never spent. */
const AMPLE = 1_000_000;

const INSTANCES = 10;
const PER_SECOND = 1_500;

/** So many requests a second of each key in each instance. */
const ofRate = (rate: number): Case => ({
  caption: `${rate} a second`,
  limit: AMPLE,
  keys: PER_SECOND / INSTANCES / rate,
  spread: 'even',
  perSecond: PER_SECOND,
});

const CASES: readonly Case[] = [
  ...[0.2, 1, 3, 10, 15, 50].map(ofRate),
  { ...ofRate(50), caption: '50 a second, of a limit of 1,000 a minute, which is spent', limit: 1_000 },
  { ...ofRate(50), caption: '50 a second, of one key', keys: 1, perSecond: 500 },
  { caption: 'Zipf over 10,000 keys', limit: AMPLE, keys: 10_000, spread: 'zipf', perSecond: PER_SECOND },
];

const MANY_INSTANCES = 200;
const CASES_OF_MANY: readonly Case[] = [
  { caption: 'Zipf over 10,000 keys', limit: AMPLE, keys: 10_000, spread: 'zipf', perSecond: PER_SECOND },
  { caption: '7.5 a second, of one key', limit: AMPLE, keys: 1, spread: 'even', perSecond: PER_SECOND },
];

/** What a decision of a fleet costs Redis, by how often each instance is asked about a key. */
export const fleet: Section = {
  title: 'Redis: what a decision of a fleet costs the server',

  async *run(scale) {
    yield await tableOf(scale, INSTANCES, CASES);
    yield await tableOf(scale, MANY_INSTANCES, CASES_OF_MANY);
  },
};

/** All stores at the same time, each with a server of its own, so that a slow moment of the machine meets all alike. */
async function tableOf(scale: Scale, instances: number, cases: readonly Case[]): Promise<Table> {
  const names = [...FLEET_STORES.keys()];
  const servers = await Promise.all(names.map(() => RedisServer.start()));
  const workers: Worker<'fleet'>[] = [];
  try {
    for (const [i, contender] of names.entries()) {
      const { port } = servers[i] as RedisServer;
      workers.push(await startWorker(scale, 'fleet', { contender, port, instances }));
    }
    const rows: Cell[][] = [];
    for (const one of cases) rows.push(rowOf(one, names, await roundsOf(scale, one, workers)));
    return {
      caption: `${instances} instances; requests a second of each key in each instance`,
      head: [
        '',
        "µs of Redis' processor, strict",
        ...names.slice(1).map((name) => `${name}, times strict`),
        ...names.map((name) => `commands of a decision, ${name}`),
      ],
      rows,
      notes: ['Default options. The limits are of a million a minute where the row names no other.'],
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** From each round what each store gave. */
async function roundsOf(
  { fleet: { rounds, ms } }: Scale,
  { caption, ...load }: Case,
  workers: readonly Worker<'fleet'>[],
): Promise<readonly (readonly FleetWork[])[]> {
  const results: FleetWork[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const settleMs = round === 0 ? Math.min(SETTLE_MS, ms) : 0;
    results.push(
      await Promise.all(workers.map((worker) => worker.ask('run', { ...load, name: caption, settleMs, ms }))),
    );
  }
  return results;
}

function rowOf({ caption }: Case, names: readonly string[], rounds: readonly (readonly FleetWork[])[]): Cell[] {
  const of = (name: string, what: keyof FleetWork): number[] =>
    rounds.map((works) => (works[names.indexOf(name)] as FleetWork)[what]);
  return [
    caption,
    spreadOf(of(STRICT, 'redisUs')),
    ...names.slice(1).map((name) => ratios(of(name, 'redisUs'), of(STRICT, 'redisUs'))),
    ...names.map((name) => spreadOf(of(name, 'commands')).median),
  ];
}
