import { fixedWindow, slidingWindow, tokenBucket } from '@sluice/core';
import type { Redis } from 'ioredis';
import type { Contender, Quota } from '../../contender.js';
import { SLUICE_LIMITS } from '../sluice-limits.js';

export const BARE_INCR = 'bare INCR';
export const BARE_SCRIPT = 'minimal script';
export const BARE_COMMAND = 'bare command';
export const BARE_COMMAND_IN_TIME = 'bare command in time';
/** Other limiters. */
export const REDIS_PEERS = ['rate-limit-redis', 'rate-limiter-flexible', '@fastify/rate-limit'];
export const THREE_LIMITS = 'Sluice, three limits at once';

/** All about the same subject; the first is the one that refuses. */
const threeLimits = ({ limit, windowMs }: Quota) => [
  slidingWindow({ name: 'short', limit, window: windowMs }),
  fixedWindow({ name: 'long', limit: 1_000 * limit, window: 2 * windowMs }),
  tokenBucket({ name: 'burst', capacity: 1_000 * limit, refillRate: 1 }),
];

const ours = (['Sluice fixed window', 'Sluice sliding window', 'Sluice token bucket'] as const).map(
  (name): [string, () => Promise<Contender<[Redis]>>] => [
    name,
    async () => (await import('./sluice.js')).sluiceOverRedis((quota) => [SLUICE_LIMITS[name](quota)]),
  ],
);

/** Everyone who counts in Redis, loaded when asked for. */
export const REDIS_CONTENDERS: ReadonlyMap<string, () => Promise<Contender<[Redis]>>> = new Map([
  [BARE_INCR, async () => (await import('./bare.js')).bareIncr],
  [BARE_SCRIPT, async () => (await import('./bare.js')).bareScript],
  ...ours,
  [BARE_COMMAND, async () => (await import('./bare-command.js')).bareCommand],
  [BARE_COMMAND_IN_TIME, async () => (await import('./bare-command.js')).bareCommandInTime],
  [THREE_LIMITS, async () => (await import('./sluice.js')).sluiceOverRedis(threeLimits)],
  ['rate-limit-redis', async () => (await import('./rate-limit-redis.js')).rateLimitRedis],
  ['rate-limiter-flexible', async () => (await import('./rate-limiter-flexible.js')).rateLimiterFlexibleRedis],
  ['@fastify/rate-limit', async () => (await import('./fastify-rate-limit.js')).fastifyRateLimitRedis],
]);

export async function redisContender(name: string): Promise<Contender<[Redis]>> {
  const load = REDIS_CONTENDERS.get(name);
  if (!load) throw new Error(`There is no contender ${name}`);
  return load();
}
