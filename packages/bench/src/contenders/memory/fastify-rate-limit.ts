import type { Contender } from '../../contender.js';
import { fastifyDecider } from '../fastify-rate-limit.js';

export const fastifyRateLimit: Contender = (quota) =>
  fastifyDecider(quota, quota.maxKeys === undefined ? {} : { cache: quota.maxKeys });
