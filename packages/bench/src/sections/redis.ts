import { REDIS_CONTENDERS, THREE_LIMITS } from '../contenders/redis/index.js';
import { type Cores, twoCores } from '../cores.js';
import { type RedisResults, redisTable, timesOf } from '../redis-table.js';
import { RedisTrial } from '../redis-trial.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import type { Table } from '../table.js';

/** Where the server and its callers run. */
export const PLACEMENTS = {
  pinned: 'server on a core of its own',
  anywhere: 'server and callers on any core',
} as const;
export type Placement = keyof typeof PLACEMENTS;

/** What a decision costs the callers and the server that they share. */
export const redis: Section = {
  title: 'Redis: what a decision costs',

  async *run(scale) {
    const cores = await twoCores();
    if (cores) yield* tables(scale, PLACEMENTS.pinned, cores);
    yield* tables(scale, PLACEMENTS.anywhere);
  },
};

export const callersOf = (count: number): string => `${count} ${count === 1 ? 'caller' : 'callers'} at once`;

async function* tables(scale: Scale, where: string, cores?: Cores): AsyncGenerator<Table> {
  const { callers, redisMs: ms } = scale;
  const trial = await RedisTrial.start(scale, { contenders: REDIS_CONTENDERS.keys(), cores });
  try {
    const allowed = new Map<number, RedisResults>();
    for (const count of callers) {
      const results = await trial.measure({ callers: count, ms, outcome: 'allowed' });
      allowed.set(count, results);
      yield redisTable(`${callersOf(count)}, 10,000 keys, allowed; ${where}`, results);
    }
    yield threeLimits(allowed, where);
    const most = Math.max(...callers);
    const refused = await trial.measure({ callers: most, ms, outcome: 'refused' });
    yield redisTable(`${callersOf(most)}, one key, refused; ${where}`, refused);
  } finally {
    await trial.end();
  }
}

function threeLimits(allowed: ReadonlyMap<number, RedisResults>, where: string): Table {
  return {
    caption: `Three limits in one decision, times one sliding window; ${where}`,
    head: ['', 'p50', 'in the command', "Redis' processor", "the caller's processor"],
    rows: [...allowed].map(([callers, results]) => [
      callersOf(callers),
      ...(['p50Us', 'commandUs', 'redisUs', 'processorUs'] as const).map((what) =>
        timesOf(results, THREE_LIMITS, 'Sluice sliding window', what),
      ),
    ]),
  };
}
