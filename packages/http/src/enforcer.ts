import { answering } from '@sluice/core/src/values/eventual';
import { createDecider } from './deciding/decider.js';
import type { Enforcer } from './deciding/policy-handle.js';
import type { RateLimitSource } from './options/limiter-options.js';
import type { Host } from './request/host.js';

type Args = readonly unknown[];

/**
 * Makes the framework-neutral half of a middleware. An adapter calls `enforce` with the arguments of its framework, and passes
 * the result to `carryOut`. If requests pass from one function to the next, use `createMiddleware`.
 *
 * @param owner - the object that owns the policy's name on the store; the same object can come again. Default:
 * `options`. If an adapter makes the options from those of its users, as `PolicySet` does, it passes the user's
 * object.
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
 * @example
 * const enforcer = createEnforcer(options, { requestOf: (req, res) => req, proxyTrust: () => 'none' });
 * const enforcement = await enforcer.enforce(req, res);
 */
export function createEnforcer<A extends Args>(
  source: RateLimitSource<A>,
  host: Host<A>,
  owner: object = source,
): Enforcer<A> {
  const { decide, isAsync, handle, ...traits } = createDecider(source, host, owner);
  return { ...handle, ...traits, enforce: answering(isAsync, (...args: A) => decide(args)) as Enforcer<A>['enforce'] };
}
