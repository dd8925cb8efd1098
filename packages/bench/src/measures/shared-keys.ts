import { Child } from '../child-process.js';
import type { Measure } from '../comparison.js';
import { SHARED_KEY_CONTENDERS } from '../contenders/redis/shared-key.js';
import { RedisServer } from '../redis-server.js';
import { type Scale, warmUpMsOfCallers } from '../scale.js';
import { callersOf } from '../sections/redis.js';
import { UNREACHED } from '../sections/shared-key.js';
import { workFor } from '../work-for.js';

const CALLERS = [1, 64];

/** Microseconds for a decision about one hot key: strict, sharded, leased and synced. */
export function sharedKeys(scale: Scale): readonly Measure[] {
  return [...SHARED_KEY_CONTENDERS.keys()].map((contender) => ({
    figures: CALLERS.flatMap((callers) => [
      { name: `${contender}: ${callersOf(callers)}`, unit: 'µs' },
      { name: `${contender}: ${callersOf(callers)}, the caller's processor`, unit: 'µs' },
    ]),
    async start(program) {
      const server = await RedisServer.start();
      try {
        const options = { contender, port: server.port, isToProve: true };
        const child = await Child.start('shared-key', options, { program });
        let rounds = 0;
        const speedOf = async (callers: number): Promise<readonly number[]> => {
          rounds += 1;
          const round = { name: `round-${rounds}`, callers, ms: scale.redisMs, limit: UNREACHED };
          const { perSecond, processorUs } = await child.ask('run', round);
          return [1e6 / perSecond, processorUs];
        };
        for (const callers of CALLERS) await workFor(warmUpMsOfCallers(scale, callers), () => speedOf(callers));
        return {
          async round() {
            const values: number[] = [];
            for (const callers of CALLERS) values.push(...(await speedOf(callers)));
            return values;
          },
          async end() {
            await child.end();
            await server.stop();
          },
        };
      } catch (error) {
        await server.stop();
        throw error;
      }
    },
  }));
}
