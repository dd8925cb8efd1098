import { Redis } from 'ioredis';
import type { Worker } from '../child-process.js';
import { BARE_SCRIPT, REDIS_CONTENDERS } from '../contenders/redis/index.js';
import { RedisServer } from '../redis-server.js';
import { type RedisWork, workOf } from '../redis-work.js';
import { interleaved, ratios, spreadOf } from '../rounds.js';
import type { Section } from '../section.js';
import { figure, rate, spread, type Table } from '../table.js';
import type { RedisLoad, RedisRound } from '../tasks/redis-load.js';
import { startWorker } from '../worker.js';

type LoadWorker = Worker<'redis-load'>;
type Round = RedisLoad & { readonly redisUs: number; readonly commands: number };

/** What a decision costs the callers and the server that they share. */
export const redis: Section = {
  title: 'Redis: what a decision costs',

  async *run(scale) {
    const { callers, rounds, redisMs } = scale;
    const server = await RedisServer.start();
    const client = new Redis(server.port, '127.0.0.1');
    const workers = new Map<string, LoadWorker>();
    try {
      await client.ping();
      for (const contender of REDIS_CONTENDERS.keys()) {
        workers.set(contender, await startWorker(scale, 'redis-load', { contender, port: server.port }));
      }
      for (const count of callers)
        yield await tableOf(workers, client, { callers: count, ms: redisMs, outcome: 'allowed' }, rounds);
      const most = Math.max(...callers);
      yield await tableOf(workers, client, { callers: most, ms: redisMs, outcome: 'refused' }, rounds);
    } finally {
      await Promise.all([...workers.values()].map((worker) => worker.end()));
      client.disconnect();
      await server.stop();
    }
  },
};

async function tableOf(
  workers: ReadonlyMap<string, LoadWorker>,
  client: Redis,
  round: RedisRound,
  rounds: number,
): Promise<Table> {
  const subjects = new Map([...workers].map(([name, worker]) => [name, () => measured(worker, client, round)]));
  await interleaved(1, subjects);
  const results = await interleaved(rounds, subjects);
  const of = (name: string, what: keyof Round): number[] => (results.get(name) ?? []).map((result) => result[what]);
  const median = (name: string, what: keyof Round): number => spreadOf(of(name, what)).median;
  const times = (name: string, what: keyof Round): string => spread(ratios(of(name, what), of(BARE_SCRIPT, what)));
  return {
    caption: captionOf(round),
    head: [
      '',
      'decisions',
      'times the minimal script',
      'p50, ms',
      'times it',
      'p99, ms',
      "µs of Redis's processor",
      'times it',
      "µs of the caller's processor",
      'commands, with those in scripts',
    ],
    rows: [...results.keys()].map((name) => [
      name,
      rate(median(name, 'perSecond')),
      times(name, 'perSecond'),
      figure(median(name, 'p50Ms')),
      times(name, 'p50Ms'),
      figure(median(name, 'p99Ms')),
      figure(median(name, 'redisUs')),
      times(name, 'redisUs'),
      figure(median(name, 'processorUs')),
      figure(median(name, 'commands')),
    ]),
  };
}

function captionOf({ callers, outcome }: RedisRound): string {
  const keys = outcome === 'allowed' ? '10,000 keys, allowed' : 'one key, refused';
  return `${callers} ${callers === 1 ? 'caller' : 'callers'} at once, ${keys}`;
}

async function measured(worker: LoadWorker, client: Redis, round: RedisRound): Promise<Round> {
  const before: RedisWork = await workOf(client);
  const load = await worker.ask('run', round);
  const after = await workOf(client);
  return {
    ...load,
    redisUs: (1_000 * (after.processorMs - before.processorMs)) / load.decisions,
    commands: (after.commands - before.commands) / load.decisions,
  };
}
