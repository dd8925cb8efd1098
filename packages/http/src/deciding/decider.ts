import { hasLimiter, optionsOf, type RateLimitSource } from '../options/limiter-options.js';
import type { HttpOptions } from '../options/options.js';
import type { Host } from '../request/host.js';
import { HandlerWatch } from './handler-watch.js';
import { createHttpPolicy } from './http-policy.js';
import { createLimiterDecider } from './limiter-decider.js';
import { PolicyDecider } from './policy-decider.js';
import type { Decider } from './policy-handle.js';
import { policyVerbs } from './policy-verbs.js';

type Args = readonly unknown[];

/**
 * Makes the framework-neutral half of a middleware: it decides about requests, and says what follows.
 *
 * @param owner - see `createEnforcer`
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
 */
export function createDecider<A extends Args>(source: RateLimitSource<A>, host: Host<A>, owner: object): Decider<A> {
  const options = optionsOf<A>(source);
  if (hasLimiter(options)) return createLimiterDecider(options, host);
  return createPolicyDecider(options, host, owner);
}

/** Makes the decider of a policy with limits of its own. */
function createPolicyDecider<A extends Args>(options: HttpOptions<A>, host: Host<A>, owner: object): Decider<A> {
  const policy = createHttpPolicy(options, host, owner);
  const { engine, countsByAddress, mayHoldSlots } = policy;
  const decider = new PolicyDecider(policy, HandlerWatch.over(options.store));
  return {
    handle: { policy: engine.policy, reset: async (key) => engine.changes.reset(key), ...policyVerbs(engine) },
    countsByAddress,
    mayHoldSlots,
    isAsync: engine.store.async,
    decide: decider.decide,
  };
}
