import type { HttpOptions, LimiterOptions, RequestLimiter } from '@sluice/core/http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The phases of a request in which it can be counted, in their order. All come before the handler. */
export const HOOKS = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const;

export type Phase = (typeof HOOKS)[number];

/** The arguments of every callback of a policy. */
export type HookArguments = [request: FastifyRequest, reply: FastifyReply];

/** The policy options of a hook or a route. All others come from the plugin. */
export type OwnOptions = Partial<HttpOptions<HookArguments>> | LimiterOptions<HookArguments>;

/** The options of a policy. Every callback gets the request and the reply. */
export type RateLimitOptions = HttpOptions<HookArguments> & PhaseOption;

/** The options of a policy whose limits somebody else has, such as the decision service. */
export type LimiterPluginOptions = LimiterOptions<HookArguments> & PhaseOption;

interface PhaseOption {
  /**
   * The phase in which requests are counted. Default: `'onRequest'`, in the place where the plugin was registered,
   * before hooks that are added later.
   *
   * Choose a later phase if a hook finds out the key, such as the user. Requests are then counted after all hooks of
   * that phase, of the scope and of the route. A request without a route is always counted in the place where the
   * plugin was registered.
   */
  hook?: Phase;
}

/** The options of the plugin. With `global: false` it limits only the routes that ask for it. */
export type RateLimitPluginOptions =
  | (RateLimitOptions & {
      /** Whether all routes are limited. Default: true. */
      global?: true;
    })
  | (Partial<RateLimitOptions> & {
      /** Only routes that ask for it are limited. */
      global: false;
    })
  | (LimiterPluginOptions & {
      /** Whether all routes are limited. Default: true. */
      global?: boolean;
    })
  | RequestLimiter;
