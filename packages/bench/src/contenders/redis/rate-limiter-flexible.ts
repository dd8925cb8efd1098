import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Contender } from '../../contender.js';
import { flexibleDecider } from '../rate-limiter-flexible.js';

/** Without its `inMemoryBlockOnConsumed`, with which a process refuses by what it remembers, as none of the others does. */
export const rateLimiterFlexibleRedis: Contender<[Redis]> = ({ limit, windowMs }, client) =>
  flexibleDecider(new RateLimiterRedis({ storeClient: client, points: limit, duration: windowMs / 1_000 }), limit);
