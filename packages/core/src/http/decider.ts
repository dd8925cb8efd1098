// Why it is so: docs/why/http-steps.md

import { Engine } from '../limiter/engine.js';
import { storeFor } from '../limiter/limiter.js';
import { policyOf } from '../limiter/policy/parse.js';
import { claimName } from '../limiter/policy/registry.js';
import { addReplaceable, prepareEngine, replacedOptions } from '../limiter/replace-policy.js';
import { optionError } from '../values/error.js';
import { type Eventual, isPromise, recover, whenReady } from '../values/eventual.js';
import { usesSlots } from '../values/limit.js';
import { compileOptions, compilePeekOptions } from './compiled-options.js';
import { DelayedRequests } from './delayed-requests.js';
import { cancelAndThrow, type Enforcement, refuseUncounted } from './enforcement.js';
import { type FollowUp, followUp } from './follow-up.js';
import { HandlerWatch } from './handler-watch.js';
import type { Host } from './host.js';
import { type HostSpending, hostSpending, inRound, reserveFor } from './host-spend.js';
import { reasonOfError, refusalOfError } from './http-refusal.js';
import { HttpGrantedReservation } from './http-reservation.js';
import { createLimiterDecider } from './limiter-decider.js';
import { hasLimiter, optionsOf, type RateLimitSource } from './limiter-options.js';
import { waitingOf } from './max-wait.js';
import type { HttpRequest } from './node/request.js';
import { checkHttpOptions, HTTP_OPTIONS, type HttpOptions } from './options.js';
import type { Decider } from './policy-handle.js';
import { policyVerbs } from './policy-verbs.js';
import { FORBIDDEN } from './problem.js';
import { isRefusedByLimit, reconsidered } from './reconsider.js';
import { classifierOf } from './request-classifier.js';
import { RequestKeys } from './request-key.js';
import { RequestLine } from './request-line.js';
import { enterPolicy, RequestPolicies } from './request-policies.js';
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
  const claim = claimName(store, policy.name, owner);
  const engine = new Engine(policy, store, keys, claim, HttpGrantedReservation);
  addReplaceable(owner, engine, {
    name: policy.name,
    store: options.store,
    prepare(changed) {
      const next = replacedOptions(options, changed);
      const waiting = waitingOf(policyOf(next, HTTP_OPTIONS), next);
      const successor = prepareEngine(engine, waiting.policy, options.store);
      return () => {
        if (waiting.most !== undefined) compiled.delayed ??= new DelayedRequests(store.clock, waiting.most);
        engine.replaceBy(successor);
      };
    },
  });
  const { reconsider } = options;
  const line = maxWaitMs !== undefined && delayed ? new RequestLine(engine, maxWaitMs, delayed, host) : undefined;
  const peekOptions = host.spendOf && compilePeekOptions(compiled);

  let watch = HandlerWatch.over(options.store);
  warnOfZero(policy.items);

  const ruleAgain = (
    reconsider: NonNullable<typeof options.reconsider>,
    refused: HttpGrantedReservation,
    policies: RequestPolicies,
    args: A,
    spending: HostSpending | undefined,
  ): Eventual<FollowUp<A> | undefined> => {
    const { current } = engine;
    const again = (round: number) => reserveFor(current, args, inRound(spending, round));
    return recover(
      () =>
        whenReady(reconsidered(reconsider, again, args, refused), (last) =>
          last ? followUp(compiled, last, policies, args, true) : undefined,
        ),
      (error) => fail(policies, error),
    );
  };

  const rule = (
    reservation: HttpGrantedReservation,
    policies: RequestPolicies,
    args: A,
    hasRoom = true,
    spending?: HostSpending,
  ): Eventual<FollowUp<A> | undefined> => {
    if (reconsider && hasRoom && isRefusedByLimit(reservation))
      return ruleAgain(reconsider, reservation, policies, args, spending);
    return followUp(compiled, reservation, policies, args, hasRoom);
  };

  const decided = (
    reservation: HttpGrantedReservation | undefined,
    request: HttpRequest,
    args: A,
    spending: HostSpending | undefined,
  ): Eventual<FollowUp<A> | undefined> => {
    if (!reservation) return undefined;
    if (peekOptions && spending?.isPeek) return followUp(peekOptions, reservation, new RequestPolicies(), args, true);
    return rule(reservation, enterPolicy(request, compiled), args, true, spending);
  };

  const fail = (policies: RequestPolicies, error: unknown, spending?: HostSpending): Eventual<Enforcement> => {
    const withoutKey = keys.refusalFor(error);
    const refusal = withoutKey ?? refusalOfError(error);
    if (!refusal) return cancelAndThrow(policies, error);
    if (!spending?.isPeek) engine.notCounted(withoutKey ? 'unknown' : reasonOfError(error));
    return refuseUncounted(policies, refusal);
  };

  /** Closures are made only for a request that waits, or whose reservation is a promise. */
  const inLine = (waiting: RequestLine<A>, request: HttpRequest, args: A): Eventual<FollowUp<A> | undefined> => {
    let entered: RequestPolicies | undefined;
    const enter = (): RequestPolicies => {
      entered ??= enterPolicy(request, compiled);
      return entered;
    };
    const next: Parameters<typeof waiting.reserve>[2] = (reservation, hasRoom) =>
      reservation && rule(reservation, enter(), args, hasRoom);
    return recover<FollowUp<A> | undefined>(
      () => waiting.reserve(args, enter, next),
      (error) => fail(enter(), error),
    );
  };

  const ruleLater = (
    reserved: PromiseLike<HttpGrantedReservation | undefined>,
    request: HttpRequest,
    args: A,
    spending: HostSpending | undefined,
  ): Promise<FollowUp<A> | undefined> =>
    Promise.resolve(reserved).then(
      (reservation) => decided(reservation, request, args, spending),
      (error) => fail(enterPolicy(request, compiled), error, spending),
    );

  const decide = (args: A): Eventual<FollowUp<A> | undefined> => {
    const request = host.requestOf(...args);
    if (watch) watch = watch.asked(request);
    const requestClass = classify?.(request, args);
    if (requestClass === 'exempt') return engine.notCounted('allowList');
    if (requestClass === 'denied') {
      engine.notCounted('denyList');
      return refuseUncounted(enterPolicy(request, compiled), FORBIDDEN);
    }
    if (line) return inLine(line, request, args);
    let reserved: Eventual<HttpGrantedReservation | undefined>;
    let spending: HostSpending | undefined;
    try {
      const spend = host.spendOf?.(...args);
      spending = spend && hostSpending(spend);
      reserved = spending ? reserveFor(engine.current, args, spending) : engine.current.reserve(args);
    } catch (error) {
      return fail(enterPolicy(request, compiled), error, spending);
    }
    if (isPromise(reserved)) return ruleLater(reserved, request, args, spending);
    return decided(reserved, request, args, spending);
  };

  return {
    policy: policy.name,
    countsByAddress:
      typeof options.onMissingKey !== 'function' &&
      policy.items.some(({ keyGenerators }) => keyGenerators === undefined),
    mayHoldSlots: engine.current.policy.items.some(({ limit }) => typeof limit === 'function' || usesSlots(limit)),
    isAsync: store.async,
    decide,
    reset: async (key) => engine.current.reset(key),
    ...policyVerbs(engine),
  };
}
