// Why it is so: core/docs/why/http-steps.md

import type { PassedPolicy } from './passed-policy.js';
import { RequestPolicies } from './request-policies.js';

/**
 * Holds the policies of a request on their bearer. The symbol is the same for all copies of this package in a process, such as one
 * imported and one required. A WeakMap of requests would cost the garbage collector more than everything else.
 */
const POLICIES = Symbol.for('sluice.requestPolicies');

interface Bearer {
  [POLICIES]?: RequestPolicies;
}

/**
 * Returns the object that carries the policies of a request. Express gives each request its own hidden class, and a
 * further property would make another one, at the cost of a dozen decisions. Node's list of raw header fields is an
 * ordinary array, unless somebody has frozen it. A copy of a request has the same list, and carries its own policies itself.
 */
function bearerOf(request: Bearer & { readonly rawHeaders?: Bearer | null }): Bearer {
  const { rawHeaders } = request;
  if (typeof rawHeaders !== 'object' || rawHeaders === null) return request;
  const carried = rawHeaders[POLICIES];
  const isForThis = carried === undefined ? Object.isExtensible(rawHeaders) : carried.request === request;
  return isForThis ? rawHeaders : request;
}

/** Returns the policies of a request. They live as long as the request. */
export function requestPoliciesOf(request: object): RequestPolicies {
  const bearer = bearerOf(request);
  bearer[POLICIES] ??= new RequestPolicies(request);
  return bearer[POLICIES];
}

/** Returns the policies of a request that has passed one; otherwise undefined. */
export function passedPoliciesOf(request: object): RequestPolicies | undefined {
  return bearerOf(request)[POLICIES];
}

/**
 * Returns the policies among which a policy decides. If an application asks the policy again about the same object, a further
 * call begins: its policies are those of the request from then on. Call this once for each decision, and not if the policy skips the
 * request.
 */
export function enterPolicy(request: object, policy: PassedPolicy): RequestPolicies {
  const bearer = bearerOf(request);
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
  bearerOf(request)[POLICIES] = policies;
  own[POLICIES] = policies;
}
