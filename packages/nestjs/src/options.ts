import type { ExecutionContext } from '@nestjs/common';
import type { HttpOptions, HttpRequest, LimiterOptions, RequestLimiter } from '@sluice/core/http';
import type { OwnLimiter } from './application-policies.js';

/**
 * Declares the application's own types once. Decorators, options and handles are then checked against them.
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

/** The names of policies. `'default'` is the policy at the top level of the module's options. */
export type PolicyName = 'default' | (RateLimitTypes extends { policies: infer Names extends string } ? Names : string);

/**
 * The request that callbacks get. Outside HTTP and GraphQL it is the handshake, or an empty object of the same form.
 */
export type RequestOf = RateLimitTypes extends { request: infer Req extends HttpRequest } ? Req : HttpRequest;

/** The arguments of every callback of a policy. */
export type CallbackArguments = [req: RequestOf, context: ExecutionContext];

/** The options of one policy. Every callback gets the request and the execution context. */
export type RateLimitOptions = HttpOptions<CallbackArguments>;

/** The options of one policy, whoever has its limits. */
export type AnyPolicyOptions = RateLimitOptions | LimiterOptions<CallbackArguments> | RequestLimiter;

/**
 * The options of the module. If the top level has a `limit`, `limits` or a `limiter`, it is the policy of all handlers without a
 * `@RateLimit`. All other policies inherit the rest of the top level.
 */
export type RateLimitModuleOptions = Partial<RateLimitOptions> &
  OwnLimiter<CallbackArguments> & {
    /** Policies for `@RateLimit('login')`, by name. */
    policies?: Readonly<Record<Exclude<PolicyName, 'default'>, AnyPolicyOptions>>;
    /** The options are no list. Use `limits` for several limits. */
    readonly [Symbol.iterator]?: never;
  };
