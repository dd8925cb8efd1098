import { policyOf } from '../limiter/policy/parse.js';
import { claimName } from '../limiter/policy/registry.js';
import { storeFor } from '../limiter/policy-store.js';
import { addReplaceable, prepareEngine, replacedOptions } from '../limiter/replace-policy.js';
import { ReplaceableEngine } from '../limiter/replaceable-engine.js';
import { optionError } from '../values/error.js';
import { compileOptions } from './compiled-options.js';
import { DelayedRequests } from './delayed-requests.js';
import { HandlerWatch } from './handler-watch.js';
import type { Host } from './host.js';
import { HttpGrantedReservation } from './http-reservation.js';
import { createLimiterDecider } from './limiter-decider.js';
import { hasLimiter, optionsOf, type RateLimitSource } from './limiter-options.js';
import { waitingOf } from './max-wait.js';
import { checkHttpOptions, HTTP_OPTIONS, type HttpOptions } from './options.js';
import { PolicyDecider } from './policy-decider.js';
import type { Decider } from './policy-handle.js';
import { policyVerbs } from './policy-verbs.js';
import { classifierOf } from './request-classifier.js';
import { RequestKeys } from './request-key.js';
import { RequestLine } from './request-line.js';
import { ProxyWatch, warnOfZero } from './warnings.js';

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
  const parsed = policyOf(options, HTTP_OPTIONS);
  checkHttpOptions(options);
  const { policy, maxWaitMs, most } = waitingOf(parsed, options);
  if (maxWaitMs !== undefined && host.spendOf) {
    throw optionError('maxWait', 'cannot be used here, because nobody can wait for the request', options.maxWait);
  }
  const proxies = new ProxyWatch(host);
  const classify = classifierOf(options, proxies);
  const keys = new RequestKeys(options, host, proxies);
  const store = storeFor(policy, options.store);
  const delayed = most === undefined ? undefined : new DelayedRequests(store.clock, most);
  const compiled = compileOptions(options, { store, policy: policy.name }, store.clock, delayed);
  // Last, so that options that are refused claim no name.
  const claim = claimName(store, policy.name, owner);
  const engine = new ReplaceableEngine(policy, { store, keys, claim, Granted: HttpGrantedReservation });
  addReplaceable(owner, engine, {
    name: policy.name,
    store: options.store,
    prepare(changed) {
      const next = replacedOptions(options, changed);
      const waiting = waitingOf(policyOf(next, HTTP_OPTIONS), next);
      const putIntoForce = prepareEngine(engine, waiting.policy, options.store);
      return () => {
        if (waiting.most !== undefined) compiled.delayed ??= new DelayedRequests(store.clock, waiting.most);
        putIntoForce();
      };
    },
  });
  const line = maxWaitMs !== undefined && delayed ? new RequestLine(engine, maxWaitMs, delayed, host) : undefined;
  warnOfZero(policy.items);
  const decider = new PolicyDecider(
    { engine, host, keys, compiled, line, classify, watch: HandlerWatch.over(options.store) },
    options,
  );
  return {
    policy: policy.name,
    countsByAddress:
      typeof options.onMissingKey !== 'function' &&
      policy.items.some(({ keyGenerators }) => keyGenerators === undefined),
    mayHoldSlots: engine.current.mayTakeSlots,
    isAsync: store.async,
    decide: (args) => decider.decide(args),
    reset: async (key) => engine.changes.reset(key),
    ...policyVerbs(engine),
  };
}
