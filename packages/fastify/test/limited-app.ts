import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { type RateLimitPluginOptions, rateLimit } from '../src/index.js';

/** So many a minute. */
export const minute = (limit: number) => ({ limit, window: '1m' }) as const;

/** A store whose time stands still. */
export const still = (): MemoryStore => new MemoryStore({ clock: new ManualClock() });

/** An application with the plugin; routes are to follow. */
export async function limitedApp(options: RateLimitPluginOptions): Promise<FastifyInstance> {
  const app = fastify();
  await app.register(rateLimit, options);
  return app;
}

/** The statuses of requests one after the other. */
export async function statuses(app: FastifyInstance, ...requests: (string | InjectOptions)[]): Promise<number[]> {
  const answers: number[] = [];
  for (const request of requests) answers.push((await app.inject(request)).statusCode);
  return answers;
}
