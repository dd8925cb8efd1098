import type { Measure } from '../comparison.js';
import { REDIS_CONTENDERS, THREE_LIMITS } from '../contenders/redis/index.js';
import { twoCores } from '../cores.js';
import { RedisTrial, type RedisTrialOptions } from '../redis-trial.js';
import type { Scale } from '../scale.js';
import { TURNING_WINDOW_MS } from '../sections/mixed.js';
import { callersOf } from '../sections/redis.js';
import type { RedisRound } from '../tasks/redis-load.js';

/** Many enough that decisions share calls. */
const MANY = 64;

const ours = [...REDIS_CONTENDERS.keys()].filter((name) => name.startsWith('Sluice'));

/** What a decision costs the caller and the server, which has a core of its own where there are two. */
export function overRedis(scale: Scale): readonly Measure[] {
  return ours.flatMap((name) => [measureOf(scale, name, { callers: 1 }), measureOf(scale, name, { callers: MANY })]);
}

/** The same with costs, and with windows that turn. */
export function mixedOverRedis(scale: Scale): readonly Measure[] {
  return ours
    .filter((name) => name !== THREE_LIMITS)
    .flatMap((name) => [
      measureOf(scale, name, { callers: 1, hasCosts: true }, 'mixed costs'),
      measureOf(scale, name, { callers: 1 }, 'windows of 2 s', { windowMs: TURNING_WINDOW_MS }),
    ]);
}

function measureOf(
  scale: Scale,
  contender: string,
  asking: Pick<RedisRound, 'callers' | 'hasCosts'>,
  what = '',
  options: Pick<RedisTrialOptions, 'windowMs'> = {},
): Measure {
  const round: RedisRound = { ...asking, ms: scale.redisMs, outcome: 'allowed' };
  const name = `${contender}${what && `, ${what}`}: ${callersOf(asking.callers)}`;
  return {
    figures: [
      { name: `${name}, p50`, unit: 'µs' },
      { name: `${name}, in the command`, unit: 'µs' },
      { name: `${name}, the caller's processor`, unit: 'µs' },
    ],
    async start(program) {
      const trial = await RedisTrial.start(scale, {
        ...options,
        ...{ contenders: [contender], cores: await twoCores(), program },
      });
      return {
        async round() {
          const { p50Us, commandUs, processorUs } = await trial.round(contender, round);
          return [p50Us, commandUs, processorUs];
        },
        end: () => trial.end(),
      };
    },
  };
}
