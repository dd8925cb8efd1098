import type { LoadState } from '@sluice/core/application';
import type { HttpReservation, RequestLimiter } from '@sluice/core/http';
import type { LimiterPluginOptions, RateLimitOptions } from './options.js';
import type { RateLimitFactory } from './rate-limit.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The decision of the last policy that counted the request; absent if none did. */
    rateLimit?: HttpReservation;
    /** How busy this process is; absent without `shedLoad`. */
    load?: LoadState;
  }
  interface FastifyContextConfig {
    /**
     * The route's own policy, which inherits the plugin's options; or a limiter that decides elsewhere. With false, the plugin
     * ignores the route.
     */
    rateLimit?: Partial<RateLimitOptions> | LimiterPluginOptions | RequestLimiter | false;
  }
  interface FastifyInstance {
    /** The factory of the nearest plugin. */
    rateLimit: RateLimitFactory;
  }
}
