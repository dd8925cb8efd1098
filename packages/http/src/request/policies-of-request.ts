// Why it is so: core/docs/why/http-steps.md

import { bearerOf } from './bearer.js';
import type { PassedPolicy } from './passed-policy.js';
import { RequestPolicies } from './request-policies.js';

/** Holds the policies of a request. The symbol is the same for all copies of this package in a process, such as one imported and one required. */
const POLICIES = Symbol.for('sluice.requestPolicies');

interface Bearer {
  [POLICIES]?: RequestPolicies;
}

/** A copy of a request carries its own policies itself: an application asks about it apart. */
function ownBearerOf(request: object): Bearer {
  const bearer: Bearer = bearerOf(request);
  const carried = bearer[POLICIES];
  return carried === undefined || carried.request === request ? bearer : request;
}

/** Returns the policies of a request. They live as long as the request. */
export function requestPoliciesOf(request: object): RequestPolicies {
  const bearer = ownBearerOf(request);
  bearer[POLICIES] ??= new RequestPolicies(request);
  return bearer[POLICIES];
}

/** Returns the policies of a request that has passed one; otherwise undefined. */
export function passedPoliciesOf(request: object): RequestPolicies | undefined {
  return ownBearerOf(request)[POLICIES];
}

/**
 * Returns the policies among which a policy decides. If an application asks the policy again about the same object, a further
 * call begins: its policies are those of the request from then on. Call this once for each decision, and not if the policy skips the
 * request.
 */
export function enterPolicy(request: object, policy: PassedPolicy): RequestPolicies {
  const bearer: Bearer = bearerOf(request);
  if (bearer[POLICIES] !== undefined) return enterLaterPolicy(request, policy);
  const policies = new RequestPolicies(request, policy.counter);
  bearer[POLICIES] = policies;
  return policies;
}

/** The same about a request that may have passed a policy. */
function enterLaterPolicy(request: object, policy: PassedPolicy): RequestPolicies {
  const bearer = ownBearerOf(request);
  const { counter, doubleCount } = policy;
  const policies = bearer[POLICIES];
  if (policies?.enter(counter)) return policies;
  if (policies) doubleCount.warnOf(counter.policy);
  const entered = policies ? policies.further(policy) : new RequestPolicies(request, counter);
  bearer[POLICIES] = entered;
  return entered;
}

/** Lets a request share the policies of another one that it stands for. */
export function joinRequestPolicies(request: object, other: object): void {
  const policies = requestPoliciesOf(other);
  const own: Bearer = request;
  // A list that carries the policies of another request is not asked any more.
  ownBearerOf(request)[POLICIES] = policies;
  own[POLICIES] = policies;
}
