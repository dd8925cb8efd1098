import type { Options } from 'express-rate-limit';
import type { Redis } from 'ioredis';
import { RedisStore } from 'rate-limit-redis';
import type { Contender } from '../../contender.js';
import { storeDecider } from '../express-rate-limit.js';

/** The store that express-rate-limit names for Redis. */
export const rateLimitRedis: Contender<[Redis]> = async ({ limit, windowMs }, client) => {
  const store = new RedisStore({
    sendCommand: (command, ...args) => client.call(command, ...args) as Promise<string>,
  });
  await store.init({ windowMs } as Options);
  return storeDecider(store, limit, () => undefined);
};
