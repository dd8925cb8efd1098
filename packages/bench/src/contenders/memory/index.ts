import type { Contender } from '../../contender.js';
import { SLUICE_LIMITS } from '../sluice-limits.js';

/** What the others are held beside. */
export const BARE_MAP = 'bare Map counter';

/** Whose whole history of a window is a list, which a hot key makes long. */
export const KEEP_EVERY_HIT: readonly string[] = ['Sluice sliding window log', '@nestjs/throttler'];

const ours = Object.entries(SLUICE_LIMITS).map(([name, limitOf]): [string, () => Promise<Contender>] => [
  name,
  async () => (await import('./sluice.js')).sluice(limitOf),
]);

/** Everyone who counts in the process, loaded when asked for, so that nobody's heap has another's code. */
export const MEMORY_CONTENDERS: ReadonlyMap<string, () => Promise<Contender>> = new Map([
  [BARE_MAP, async () => (await import('./bare-map.js')).bareMap],
  ...ours,
  ['express-rate-limit', async () => (await import('./express-rate-limit.js')).expressRateLimit],
  ['rate-limiter-flexible', async () => (await import('./rate-limiter-flexible.js')).rateLimiterFlexible],
  ['@fastify/rate-limit', async () => (await import('./fastify-rate-limit.js')).fastifyRateLimit],
  ['@nestjs/throttler', async () => (await import('./nestjs-throttler.js')).nestjsThrottler],
]);

/** Algorithms that stand for the others, which share their code. */
const STAND_FOR_OTHERS = ['Sluice sliding window', 'Sluice fixed window', 'Sluice token bucket'];

/** Everyone, of whom ours are few, where a contender takes long. */
export const FEW_MEMORY_CONTENDERS = [...MEMORY_CONTENDERS.keys()].filter(
  (name) => !name.startsWith('Sluice') || STAND_FOR_OTHERS.includes(name),
);

export async function memoryContender(name: string): Promise<Contender> {
  const load = MEMORY_CONTENDERS.get(name);
  if (!load) throw new Error(`There is no contender ${name}`);
  return load();
}
