import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { HttpReservation } from '@sluice/core/http';
import { Invocation } from './invocation.js';
import { invocationOf } from './invocation-of.js';
import { namedAfter } from './named-after.js';
import type { AnyPolicyOptions, PolicyName } from './options.js';
import type { RateLimitService } from './rate-limit-service.js';

/** A policy in a decorator: a name, or options. */
export type PolicyLike = PolicyName | AnyPolicyOptions;

type Decorator = MethodDecorator & ClassDecorator;

const POLICIES = Symbol('sluice:policies');
const SKIPPED = Symbol('sluice:skipped');

/**
 * Limits a handler, or every handler of a class, by these policies. A policy of a method replaces those of its class,
 * and a policy of a class replaces the module's. Several decorators in one place add up.
 *
 * Options in the decorator inherit the module's options. Without a `name`, the policy gets the name of its place:
 * `AuthController.login`, and `AuthController.login-2` for the second one. The name is the same in every process.
 *
 * @example
 * class AuthController { @RateLimit('login', { limit: 1000, window: '1d', keyGenerator: everyone() }) login() {} }
 */
export const RateLimit = (...policies: [PolicyLike, ...PolicyLike[]]): Decorator =>
  decorate<PolicyLike>(POLICIES, (owner, others) => namedAfter<PolicyName, AnyPolicyOptions>(owner, policies, others));

/**
 * Excludes a handler, or every handler of a class, from the policies with these names; without names, from all
 * policies.
 *
 * @example
 * class HealthController { @SkipRateLimit() check() {} }
 */
export const SkipRateLimit = (...names: PolicyName[]): Decorator => decorate<PolicyName[]>(SKIPPED, () => [names]);

/**
 * Injects the decision about the current call into a handler, to `settle` or `cancel` it; undefined if no policy
 * counted the call.
 *
 * @example
 * class ChatController { @Post() chat(@CurrentRateLimit() rateLimit?: HttpReservation) {} }
 */
export const CurrentRateLimit: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext): HttpReservation | undefined =>
    (Invocation.current ?? invocationOf(context)).reservation,
);

/** Returns the policies that decorators choose for a handler, or else the module's own. */
export function policiesFor(handler: object, type: object, rateLimits: RateLimitService): readonly PolicyLike[] {
  const own = said<PolicyLike>(POLICIES, handler);
  // If a method has its own policies, the skips of its class do not apply.
  const skips = (own.length > 0 ? [handler] : [handler, type]).flatMap((on) => said<PolicyName[]>(SKIPPED, on));
  if (skips.some((names) => names.length === 0)) return [];
  // A policy of the module may have two names: the one in `policies`, and its own.
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

/** Adds values to those of other decorators in the same place. */
function decorate<T>(key: symbol, valuesIn: (owner: string, others: readonly T[]) => readonly T[]): Decorator {
  return (target: object, method?: string | symbol, descriptor?: PropertyDescriptor) => {
    const { name } = typeof target === 'function' ? target : target.constructor;
    const on: object = descriptor?.value ?? target;
    const others: readonly T[] = Reflect.getOwnMetadata(key, on) ?? [];
    const owner = method === undefined ? name : `${name}.${String(method)}`;
    Reflect.defineMetadata(key, [...valuesIn(owner, others), ...others], on);
  };
}
