import { createRequire } from 'node:module';
import fastify, { type FastifyInstance, type FastifyPluginCallback, type FastifyRequest } from 'fastify';
import type { Decider, Quota } from '../contender.js';

interface Options {
  readonly max: number;
  readonly timeWindow: number;
  /** Default: the address. */
  readonly keyGenerator?: (request: FastifyRequest) => string;
  /** How many keys its memory holds; it forgets the one that was asked about longest ago. Default 5,000. */
  readonly cache?: number;
  readonly redis?: unknown;
  readonly nameSpace?: string;
}

interface Result {
  readonly max: number;
  readonly remaining: number;
  readonly ttl: number;
  readonly isExceeded: boolean;
}

/** Without its types: they augment Fastify's by the very names that those of @sluice/fastify do. */
export const plugin = createRequire(import.meta.url)('@fastify/rate-limit') as FastifyPluginCallback<Options>;

/** What its `createRateLimit` reads of a request. */
interface Asked {
  key: string;
  readonly routeOptions: { readonly config: object };
}

/** By the function that it has for handlers that ask by themselves. */
export async function fastifyDecider(
  { limit, windowMs }: Quota,
  options: Pick<Options, 'cache' | 'redis' | 'nameSpace'>,
): Promise<Decider> {
  const app: FastifyInstance = fastify();
  await app.register(plugin, {
    ...options,
    max: limit,
    timeWindow: windowMs,
    keyGenerator: (request) => (request as unknown as Asked).key,
  });
  await app.ready();
  const { createRateLimit } = app as unknown as { createRateLimit(): (request: Asked) => Promise<Result> };
  const consume = createRateLimit();
  return {
    isAsync: true,
    async decide(key, answer) {
      const { max, remaining, ttl, isExceeded } = await consume({ key, routeOptions: { config: {} } });
      answer.allowed = !isExceeded;
      answer.limit = max;
      answer.remaining = remaining;
      answer.resetMs = ttl;
      answer.retryMs = isExceeded ? ttl : 0;
    },
    close: () => app.close(),
  };
}
