import type { ExecutionContext } from '@nestjs/common';
import type { HttpOptions, HttpRequest } from '@sluice/core/http';

/**
 * What an application says once about its own types; decorators, options and handles are then checked against it.
 *
 * @example
 * declare module '@sluice/nestjs' {
 *   interface RateLimitTypes {
 *     request: import('express').Request;
 *     policies: 'login' | 'chat';
 *   }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications fill it.
export interface RateLimitTypes {}

/** The names of policies. `'default'` is the one at the top of the module's options. */
export type PolicyName = 'default' | (RateLimitTypes extends { policies: infer Names extends string } ? Names : string);

/** What callbacks get as the request. Outside HTTP and GraphQL it is the handshake, or nothing but its form. */
export type RequestOf = RateLimitTypes extends { request: infer Req extends HttpRequest } ? Req : HttpRequest;

/** What every callback of a policy gets. */
export type CallbackArguments = [req: RequestOf, context: ExecutionContext];

/** The options of one policy; every callback gets the request and the execution context. */
export type RateLimitOptions = HttpOptions<CallbackArguments>;

/**
 * The options of the module. What stands at the top is a policy of its own, for all handlers without a `@RateLimit`, if it
 * has a `limit` or `limits`; all other policies inherit the rest of it.
 */
export type RateLimitModuleOptions = Partial<RateLimitOptions> & {
  /** Policies for `@RateLimit('login')`, by name. */
  policies?: Readonly<Record<Exclude<PolicyName, 'default'>, RateLimitOptions>>;
  /** The options are no list: several limits are `limits`. */
  readonly [Symbol.iterator]?: never;
};
