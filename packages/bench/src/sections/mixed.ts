import { MEMORY_CONTENDERS } from '../contenders/memory/index.js';
import { BARE_COMMAND, BARE_COMMAND_IN_TIME, BARE_INCR, REDIS_CONTENDERS } from '../contenders/redis/index.js';
import { twoCores } from '../cores.js';
import { redisTable } from '../redis-table.js';
import { RedisTrial } from '../redis-trial.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import type { Table } from '../table.js';
import { decisionsTable } from './in-process.js';
import { callersOf } from './redis.js';

/** With one caller and with many, each of the 10,000 keys comes back within the window, and in another sub-window. */
export const TURNING_WINDOW_MS = 2_000;

/** The most callers. Of the decisions that share a call, only some have a new sub-window. */
const MANY = 64;

/** These count requests alone. The bare INCR has no windows, either. */
const WITHOUT_COSTS = [
  ...['express-rate-limit', '@fastify/rate-limit', '@nestjs/throttler', 'rate-limit-redis'],
  ...[BARE_INCR, BARE_COMMAND, BARE_COMMAND_IN_TIME],
];

/** Whether a contender is asked with costs that differ. */
export const knowsCosts = (name: string): boolean => !WITHOUT_COSTS.includes(name);

/** What hides from tables whose requests cost 1 and whose windows last an hour. */
export const mixed: Section = {
  title: 'Mixed costs, and windows that turn',

  async *run(scale) {
    const inMemory = [...MEMORY_CONTENDERS.keys()];
    yield await decisionsTable('windows of a second', scale);
    yield await decisionsTable('mixed costs', scale, inMemory.filter(knowsCosts));
    const overRedis = [...REDIS_CONTENDERS.keys()].filter((name) => name !== BARE_INCR);
    yield* tables(scale, 'windows of 2 s', { contenders: overRedis, windowMs: TURNING_WINDOW_MS });
    yield* tables(scale, 'costs of 1 to 7', { contenders: overRedis.filter(knowsCosts), hasCosts: true });
  },
};

interface Kind {
  readonly contenders: readonly string[];
  readonly windowMs?: number;
  readonly hasCosts?: boolean;
}

async function* tables(scale: Scale, what: string, { hasCosts = false, ...options }: Kind): AsyncGenerator<Table> {
  const trial = await RedisTrial.start(scale, { ...options, cores: await twoCores() });
  try {
    for (const callers of scale.callers.filter((count) => count <= MANY)) {
      const results = await trial.measure({ callers, ms: scale.redisMs, outcome: 'allowed', hasCosts });
      yield redisTable(`Redis: ${what}; ${callersOf(callers)}`, results);
    }
  } finally {
    await trial.end();
  }
}
