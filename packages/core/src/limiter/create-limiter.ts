// Why it is so: docs/why/verdicts.md

import { type Limiter, limiterOver } from './limiter.js';
import type { PolicyOptions } from './policy/options.js';
import { policyOf } from './policy/parse.js';
import { claimName } from './policy/registry.js';
import { storeFor } from './policy-store.js';
import { addReplaceable, prepareEngine, replacedOptions } from './replace-policy.js';
import { ReplaceableEngine } from './replaceable-engine.js';
import { GrantedReservation } from './reservation.js';
import { SubjectAsKey } from './subject-key.js';

/**
 * Makes a limiter: Sluice without HTTP. For HTTP, use `rateLimit` of an adapter package.
 *
 * @param owner - the object that owns the policy's name on the store. Limiters of one owner share their counters. Pass
 * it if your program makes the options anew, for example when it reads them again. Default: `options`.
 * @throws SluiceError `SLUICE_OPTION` if an option is wrong; `SLUICE_DUPLICATE_NAME` if the store has another policy
 * with this name, of another owner
 * @example
 * const limiter = createLimiter({ limit: 100, window: '1m' });
 * if (!limiter.consume('ann').allowed) throw new Error('Too many requests');
 */
export function createLimiter<Subject = string, Async extends boolean = false>(
  options: PolicyOptions<[subject: Subject], Async>,
  owner?: object,
): Limiter<Subject, Async>;
/**
 * Makes a limiter with asynchronous functions and a synchronous store. Its methods return promises if they call one of
 * these functions, and values otherwise (a skipped request, `settle`, `reset`). Always `await` them.
 */
export function createLimiter<Subject = string>(
  options: PolicyOptions<[subject: Subject]>,
  owner?: object,
): Limiter<Subject>;
export function createLimiter<Subject>(
  options: PolicyOptions<[subject: Subject]>,
  owner: object = options,
): Limiter<Subject> {
  const policy = policyOf(options);
  const keys = new SubjectAsKey<Subject>();
  const store = storeFor(policy, options.store);
  const claim = claimName(store, policy.name, owner);
  const engine = new ReplaceableEngine(policy, { store, keys, claim, Granted: GrantedReservation });
  // What is done to the object later says nothing about this limiter.
  const made = { ...options };
  addReplaceable(owner, engine, {
    name: policy.name,
    store: options.store,
    prepare: (changed) => prepareEngine(engine, policyOf(replacedOptions(made, changed)), made.store),
  });
  return limiterOver(engine);
}
