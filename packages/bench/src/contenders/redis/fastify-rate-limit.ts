import type { Redis } from 'ioredis';
import type { Contender } from '../../contender.js';
import { fastifyDecider } from '../fastify-rate-limit.js';

export const fastifyRateLimitRedis: Contender<[Redis]> = (quota, client) => fastifyDecider(quota, { redis: client });
