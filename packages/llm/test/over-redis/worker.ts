import { Redis } from 'ioredis';
import type { LlmPlan } from '../../src/index.js';
import { jobOf, sharedLimiter } from './shared-limiter.js';

/** Tells a worker process to reserve so many calls at once, each with this cap, and to settle none of them. */
export interface Task {
  readonly calls: number;
  readonly tokens: number;
  readonly plan: LlmPlan;
}

const client = new Redis(Number(process.argv[2]));

process.on('message', async ({ calls, tokens, plan }: Task) => {
  const { limiter } = sharedLimiter(client, plan);
  const reservations = await Promise.all(Array.from({ length: calls }, () => limiter.reserve(jobOf(tokens))));
  process.send?.(reservations.filter(({ allowed }) => allowed).length);
});
process.on('disconnect', () => client.disconnect());
client.once('ready', () => process.send?.('ready'));
