import type { HttpOptions } from '@sluice/core/http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The phases of a request in which it may be counted: those before its handler, in their order. */
export const HOOKS = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const;

export type Phase = (typeof HOOKS)[number];

/** What every callback of a policy gets. */
export type HookArguments = [request: FastifyRequest, reply: FastifyReply];

/** What a hook or a route says of its policy; the rest is the plugin's. */
export type OwnOptions = Partial<HttpOptions<HookArguments>>;

/** The options of a policy; every callback gets the request and the reply. */
export type RateLimitOptions = HttpOptions<HookArguments> & {
  /**
   * The phase in which requests are counted; default `'onRequest'`, where the plugin was registered: before the hooks that
   * are added after it. A later phase is for keys that a hook finds out, such as the user: requests are then counted behind
   * all hooks of that phase, of the scope and of the route. A request that no route is for is counted where the plugin was
   * registered, in any phase.
   */
  hook?: Phase;
};

/** The options of the plugin. With `global: false` it limits the routes that say so, and no others. */
export type RateLimitPluginOptions =
  | (RateLimitOptions & { global?: true })
  | (Partial<RateLimitOptions> & { global: false });
