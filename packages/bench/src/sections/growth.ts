import { Redis } from 'ioredis';
import { BARE_MAP } from '../contenders/memory/index.js';
import { twoCores } from '../cores.js';
import { RedisServer } from '../redis-server.js';
import type { RedisResult } from '../redis-trial.js';
import { workOf, workOfDecision } from '../redis-work.js';
import { warmRounds } from '../rounds.js';
import { type Scale, warmUpMsOfCallers } from '../scale.js';
import type { Section } from '../section.js';
import { ratios, spreadOf } from '../spread.js';
import { type Cell, rate, type Table } from '../table.js';
import type { GrowingRedisOptions } from '../tasks/growing-redis.js';
import { startWorker } from '../worker.js';

const OURS = 'Sluice sliding window';
const COUNTED = [OURS, BARE_MAP];
const FLAGS = ['--expose-gc', '--max-old-space-size=8192'];
const CALLERS = 64;

const many = (count: number): string => count.toLocaleString('en-US');

/** Whether a decision stays as cheap when there are more keys, longer ones, and more policies. */
export const growth: Section = {
  title: 'Room to grow',

  async *run(scale) {
    const { keys, keyLengths, policies } = scale.growth;
    yield await inMemory(scale, 'Live keys in memory, of 36 characters', 'keys', keys, (count) => ({
      keys: count,
      keyLength: 36,
    }));
    yield await inMemory(scale, 'The length of 100,000 keys in memory', 'characters', keyLengths, (keyLength) => ({
      keys: Math.min(100_000, Math.max(...keys)),
      keyLength,
    }));
    yield await overRedis(scale, 'The length of keys over Redis', 'characters', keyLengths, (keyLength) => ({
      keyLength,
      policies: 1,
    }));
    yield await overRedis(scale, 'Policies over one connection to Redis', 'policies', policies, (count) => ({
      keyLength: 36,
      policies: count,
    }));
  },
};

async function inMemory(
  scale: Scale,
  caption: string,
  unit: string,
  sizes: readonly number[],
  optionsOf: (size: number) => { readonly keys: number; readonly keyLength: number },
): Promise<Table> {
  const rows: Cell[][] = [];
  for (const contender of COUNTED) {
    for (const size of sizes) {
      const options = { contender, ...optionsOf(size) };
      const worker = await startWorker(scale, 'growing-memory', options, { flags: FLAGS });
      try {
        const { bytesPerKey, longestMs } = await worker.ask('fill');
        // Once before it is measured, so that the code is compiled for keys that are known.
        await worker.ask('ask', scale.growth.asked);
        const { processorNs, p50Ns, p99Ns } = await worker.ask('ask', scale.growth.asked);
        rows.push([`${contender}, ${unit}: ${many(size)}`, bytesPerKey, longestMs, processorNs, p50Ns, p99Ns]);
      } finally {
        await worker.end();
      }
    }
  }
  return {
    caption,
    head: [
      '',
      'bytes per key',
      'longest turn while they come, ms of the processor',
      'ns of the processor for a decision',
      'p50, ns',
      'p99, ns',
    ],
    rows,
    notes: ['A decision is about any key that is there. Its p50 and p99 contain two readings of the clock.'],
  };
}

async function overRedis(
  scale: Scale,
  caption: string,
  unit: string,
  sizes: readonly number[],
  optionsOf: (size: number) => Omit<GrowingRedisOptions, 'port'>,
): Promise<Table> {
  const cores = await twoCores();
  const server = await RedisServer.start(cores?.server);
  const client = new Redis(server.port, '127.0.0.1');
  const workers = await Promise.all(
    sizes.map((size) => {
      const options = { port: server.port, ...optionsOf(size) };
      return startWorker(scale, 'growing-redis', options, cores ? { core: cores.callers } : {});
    }),
  );
  try {
    const subjects = new Map(
      workers.map((worker, i) => [
        `Sluice, ${unit}: ${many(sizes[i] as number)}`,
        async (): Promise<RedisResult> => {
          const before = await workOf(client);
          const load = await worker.ask('run', { callers: CALLERS, ms: scale.redisMs });
          return { ...load, ...workOfDecision(before, await workOf(client), load.decisions) };
        },
      ]),
    );
    const results = await warmRounds(warmUpMsOfCallers(scale, CALLERS), scale.rounds, subjects);
    return {
      caption: `${caption}, ${CALLERS} callers at once`,
      head: [
        '',
        'decisions',
        'times the first',
        "µs of Redis' processor",
        'times the first',
        "µs of the caller's processor",
        'times the first',
        'commands for a decision',
      ],
      rows: rowsOf(results),
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
    client.disconnect();
    await server.stop();
  }
}

function rowsOf(results: ReadonlyMap<string, readonly RedisResult[]>): Cell[][] {
  const [first = []] = results.values();
  return [...results].map(([name, rounds]) => {
    const of = (what: keyof RedisResult, all = rounds): number[] => all.map((round) => round[what]);
    const timesTheFirst = (what: keyof RedisResult): Cell => ratios(of(what), of(what, first));
    return [
      name,
      rate(spreadOf(of('perSecond')).median),
      timesTheFirst('perSecond'),
      spreadOf(of('redisUs')).median,
      timesTheFirst('redisUs'),
      spreadOf(of('processorUs')).median,
      timesTheFirst('processorUs'),
      spreadOf(of('commands')).median,
    ];
  });
}
