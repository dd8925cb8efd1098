import { MemoryStore } from '@sluice/core';
import type { ManualClock } from '@sluice/core/testing';
import { type RateLimitOptions, rateLimit } from '@sluice/hono';
import { Hono } from 'hono';

/** A server with limits, which counts the statuses of its answers. */
export interface LimitedServer {
  readonly fetch: typeof fetch;
  readonly statuses: Map<number, number>;
  /** The times at which requests came. */
  readonly arrivalsMs: number[];
}

/** Makes a server on Hono that limits all its callers together, by this clock. No network lies between. */
export function limitedServer(clock: ManualClock, options: RateLimitOptions): LimitedServer {
  const statuses = new Map<number, number>();
  const arrivalsMs: number[] = [];
  const app = new Hono();
  app.use(rateLimit({ store: new MemoryStore({ clock }), keyGenerator: () => 'everybody', ...options }));
  app.all('*', (c) => c.text('fine'));
  return {
    statuses,
    arrivalsMs,
    fetch: async (input, init) => {
      arrivalsMs.push(clock.now());
      const response = await app.fetch(new Request(input, init));
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      return response;
    },
  };
}
