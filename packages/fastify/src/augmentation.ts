import type { HttpReservation } from '@sluice/core/http';
import type { RateLimitOptions } from './options.js';
import type { RateLimitFactory } from './rate-limit.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The decision of the last policy that ran; absent when none counted the request. */
    rateLimit?: HttpReservation;
  }
  interface FastifyContextConfig {
    /** A policy of the route's own, which inherits the plugin's options; false: the plugin leaves the route alone. */
    rateLimit?: Partial<RateLimitOptions> | false;
  }
  interface FastifyInstance {
    /** Of the nearest plugin. */
    rateLimit: RateLimitFactory;
  }
}
