import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { HttpReservation } from '@sluice/core/http';
import { Invocation } from './invocation.js';
import { invocationOf } from './invocation-of.js';
import { namedAfter } from './named-after.js';
import type { PolicyName, RateLimitOptions } from './options.js';
import type { RateLimitService } from './rate-limit-service.js';

/** A policy as decorators name it. */
export type PolicyLike = PolicyName | RateLimitOptions;

type Decorator = MethodDecorator & ClassDecorator;

const POLICIES = Symbol('sluice:policies');
const SKIPPED = Symbol('sluice:skipped');

/**
 * Limits a handler, or every handler of a class, by these policies instead of those that hold around it: a method's come
 * before its class's, and these before the module's. Several decorators in one place add up.
 *
 * Options that stand here inherit the module's. Without a `name` their policy is called after its place, which is the same
 * in every process: `AuthController.login`, a second one there `AuthController.login-2`.
 *
 * @example
 * class AuthController { @RateLimit('login', { limit: 1000, window: '1d', keyGenerator: everyone() }) login() {} }
 */
export const RateLimit = (...policies: [PolicyLike, ...PolicyLike[]]): Decorator =>
  decorate<PolicyLike>(POLICIES, (place, others) => namedAfter<PolicyName, RateLimitOptions>(place, policies, others));

/**
 * Lets a handler, or every handler of a class, pass uncounted: by the policies of these names, or without a name by any.
 *
 * @example
 * class HealthController { @SkipRateLimit() check() {} }
 */
export const SkipRateLimit = (...names: PolicyName[]): Decorator => decorate<PolicyName[]>(SKIPPED, () => [names]);

/**
 * Gives a handler the decision about its own call, to `settle` or `cancel`; undefined when no policy counted it.
 *
 * @example
 * class ChatController { @Post() chat(@CurrentRateLimit() rateLimit?: HttpReservation) {} }
 */
export const CurrentRateLimit: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext): HttpReservation | undefined =>
    (Invocation.current ?? invocationOf(context)).reservation,
);

/** The policies that decorators choose for a handler, or else the module's own. */
export function policiesFor(handler: object, type: object, rateLimits: RateLimitService): readonly PolicyLike[] {
  const own = said<PolicyLike>(POLICIES, handler);
  // What a method limits itself by stands against all its class skips.
  const skips = (own.length > 0 ? [handler] : [handler, type]).flatMap((on) => said<PolicyName[]>(SKIPPED, on));
  if (skips.some((names) => names.length === 0)) return [];
  // A policy of the module may have two names: the one that it is found by, and its own.
  const skipped = skips.flat().map((name) => rateLimits.policy(name));
  const policies = [own, said<PolicyLike>(POLICIES, type), rateLimits.defaults].find(({ length }) => length > 0) ?? [];
  return policies.filter((policy) => !skipped.includes(rateLimits.policy(policy)));
}

/** Whether a decorator on a handler, or on its class, names policies. */
export function isDecorated(handler: object, type: object): boolean {
  return said(POLICIES, handler).length > 0 || said(POLICIES, type).length > 0;
}

function said<T>(key: symbol, on: object): readonly T[] {
  return Reflect.getMetadata(key, on) ?? [];
}

/** Adds to what other decorators have said in the same place. */
function decorate<T>(key: symbol, valuesIn: (place: string, others: readonly T[]) => readonly T[]): Decorator {
  return (target: object, method?: string | symbol, descriptor?: PropertyDescriptor) => {
    const { name } = typeof target === 'function' ? target : target.constructor;
    const on: object = descriptor?.value ?? target;
    const others: readonly T[] = Reflect.getOwnMetadata(key, on) ?? [];
    const place = method === undefined ? name : `${name}.${String(method)}`;
    Reflect.defineMetadata(key, [...valuesIn(place, others), ...others], on);
  };
}
