import type { Figure, Measure } from '../comparison.js';
import { REDIS_CONTENDERS, THREE_LIMITS } from '../contenders/redis/index.js';
import { twoCores } from '../cores.js';
import { RedisTrial, type RedisTrialOptions } from '../redis-trial.js';
import { type Scale, warmUpMsOfCallers } from '../scale.js';
import { TURNING_WINDOW_MS } from '../sections/mixed.js';
import { callersOf } from '../sections/redis.js';
import type { RedisRound } from '../tasks/redis-load.js';
import { workFor } from '../work-for.js';

/** What one process is measured with, the first of which warms up most of its code. */
interface Kind extends Pick<RedisTrialOptions, 'windowMs'>, Pick<RedisRound, 'hasCosts'> {
  readonly callers: readonly number[];
  /** What differs from the usual, for the names of its figures. */
  readonly what?: string;
}

const ours = [...REDIS_CONTENDERS.keys()].filter((name) => name.startsWith('Sluice'));

/** What a decision costs the caller and the server, which has a core of its own where there are two. */
export function overRedis(scale: Scale): readonly Measure[] {
  // 64 are many enough that decisions share calls.
  return ours.map((name) => measureOf(scale, name, { callers: [1, 64] }));
}

/** The same with costs, and with windows that turn. */
export function mixedOverRedis(scale: Scale): readonly Measure[] {
  return ours
    .filter((name) => name !== THREE_LIMITS)
    .flatMap((name) => [
      measureOf(scale, name, { callers: [1], hasCosts: true, what: 'mixed costs' }),
      measureOf(scale, name, { callers: [1], windowMs: TURNING_WINDOW_MS, what: 'windows of 2 s' }),
    ]);
}

function measureOf(scale: Scale, contender: string, { callers, what, hasCosts = false, ...options }: Kind): Measure {
  const rounds = callers.map(
    (count): RedisRound => ({ callers: count, ms: scale.redisMs, outcome: 'allowed', hasCosts }),
  );
  const name = what === undefined ? contender : `${contender}, ${what}`;
  return {
    figures: callers.flatMap((count) => figuresOf(`${name}: ${callersOf(count)}`)),
    async start(program) {
      const contenders = [contender];
      const trial = await RedisTrial.start(scale, { ...options, contenders, cores: await twoCores(), program });
      for (const round of rounds) {
        await workFor(warmUpMsOfCallers(scale, round.callers), () => trial.round(contender, round));
      }
      return {
        async round() {
          const values: number[] = [];
          for (const round of rounds) {
            const { p50Us, commandUs, processorUs } = await trial.round(contender, round);
            values.push(p50Us, commandUs, processorUs);
          }
          return values;
        },
        end: () => trial.end(),
      };
    },
  };
}

function figuresOf(name: string): Figure[] {
  return ['p50', 'in the command', "the caller's processor"].map((what) => ({ name: `${name}, ${what}`, unit: 'µs' }));
}
