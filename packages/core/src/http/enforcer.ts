import { Engine } from '../limiter/engine.js';
import { storeFor } from '../limiter/limiter.js';
import { policyOf } from '../limiter/policy/parse.js';
import { claimName } from '../limiter/policy/registry.js';
import { addReplaceable, prepareEngine, replacedOptions } from '../limiter/replace-policy.js';
import { optionError } from '../values/error.js';
import { answering, type Eventual, isPromise, recover, whenReady } from '../values/eventual.js';
import { usesSlots } from '../values/limit.js';
import { Chain, chainOf } from './chain.js';
import { DelayedRequests } from './delayed-requests.js';
import { type Enforcement, giveUp, type Rules, turnAway } from './enforcement.js';
import { enforcementOf } from './enforcement-of.js';
import { extraHeadersOf } from './extra-headers.js';
import { HandlerWatch } from './handler-watch.js';
import { ownFieldNames, retryAfterNames } from './headers/field-options.js';
import { headerFields } from './headers/fields.js';
import type { Host } from './host.js';
import { type HostSpending, hostSpending, inRound, reserveFor } from './host-spend.js';
import { refusalOfError } from './http-refusal.js';
import { HttpGrantedReservation } from './http-reservation.js';
import { createLimiterEnforcer } from './limiter-enforcer.js';
import { hasLimiter, optionsOf, type RateLimitSource } from './limiter-options.js';
import { waitingOf } from './max-wait.js';
import { FORBIDDEN } from './node/problem.js';
import { checkHttpOptions, HTTP_OPTIONS, type HttpOptions } from './options.js';
import type { Enforcer } from './policy-handle.js';
import { policyVerbs } from './policy-verbs.js';
import { isRefusedByLimit, reconsidered } from './reconsider.js';
import { classifierOf } from './request-classifier.js';
import { RequestKeys } from './request-key.js';
import { RequestLine } from './request-line.js';
import { ProxyWatch, TwiceWatch, warnOfZero } from './warnings.js';

type Args = readonly unknown[];

/**
 * Makes the framework-neutral half of a middleware. An adapter calls `enforce` with the arguments of its framework, and
 * carries out the result.
 *
 * @param owner - the object that owns the policy's name on the store; the same object can come again. Default:
 * `options`. If an adapter makes the options from those of its users, as `inheritedOptions` does, it passes the user's
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
  const options = optionsOf<A>(source);
  if (hasLimiter(options)) return createLimiterEnforcer(options, host);
  return createPolicyEnforcer(options, host, owner);
}

/** Makes the enforcer of a policy with limits of its own. */
function createPolicyEnforcer<A extends Args>(options: HttpOptions<A>, host: Host<A>, owner: object): Enforcer<A> {
  const parsed = policyOf(options, HTTP_OPTIONS);
  checkHttpOptions(options);
  const { policy, maxWaitMs, most } = waitingOf(parsed, options);
  if (maxWaitMs !== undefined && host.spendOf) {
    throw optionError('maxWait', 'cannot be used here, because nobody can wait for the request', options.maxWait);
  }
  const proxies = new ProxyWatch(host);
  const classify = classifierOf(options, proxies);
  const keys = new RequestKeys(options, host, proxies);
  const extraHeaders = extraHeadersOf(options);
  const store = storeFor(policy, options.store);
  const fieldsOf = headerFields(options, store.clock);
  const claim = claimName(store, policy.name, owner);
  const engine = new Engine(policy, store, keys, claim, HttpGrantedReservation);
  addReplaceable(owner, {
    name: policy.name,
    store: options.store,
    prepare(changed) {
      const next = replacedOptions(options, changed);
      const waiting = waitingOf(policyOf(next, HTTP_OPTIONS), next);
      const successor = prepareEngine(engine, waiting.policy, options.store);
      return () => {
        if (waiting.most !== undefined) rules.delayed ??= new DelayedRequests(store.clock, waiting.most);
        engine.replaceBy(successor);
      };
    },
  });
  const names = ownFieldNames(options);
  const retryAfter = retryAfterNames(options);
  const { reconsider } = options;
  const tellsOfLimits = names.size > retryAfter.length;
  const delayed = most === undefined ? undefined : new DelayedRequests(store.clock, most);
  const line = maxWaitMs !== undefined && delayed ? new RequestLine(engine, maxWaitMs, delayed, host) : undefined;
  const rules: Rules<A> = {
    options,
    clock: store.clock,
    fieldsOf,
    names,
    tellsOfLimits,
    retryAfter,
    extraHeaders,
    delayed,
  };
  const peekRules = host.spendOf && { ...rules, options: withoutHooks(options), delayed: undefined };

  const counter = { store, policy: policy.name };
  const twice = new TwiceWatch();
  let watch = HandlerWatch.over(options.store);
  warnOfZero(policy.items);

  const rule = (
    reservation: HttpGrantedReservation | undefined,
    chain: Chain,
    args: A,
    hasRoom = true,
    spending?: HostSpending,
  ): Eventual<Enforcement | undefined> => {
    if (!reservation) return undefined;
    if (peekRules && spending?.isPeek) return enforcementOf(peekRules, reservation, new Chain(), args, true);
    if (chain.isCountedAgain(counter)) twice.countedTwice(policy.name);
    if (reconsider && hasRoom && isRefusedByLimit(reservation)) {
      const { current } = engine;
      const again = (round: number) => reserveFor(current, args, inRound(spending, round));
      return recover(
        () =>
          whenReady(reconsidered(reconsider, again, args, reservation), (last) =>
            last ? enforcementOf(rules, last, chain, args, true) : undefined,
          ),
        (error) => fail(chain, error),
      );
    }
    return enforcementOf(rules, reservation, chain, args, hasRoom);
  };

  const fail = (chain: Chain, error: unknown): Eventual<Enforcement> => {
    const refusal = keys.refusalFor(error) ?? refusalOfError(error);
    return refusal ? turnAway(chain, refusal) : giveUp(chain, error);
  };

  const enforce = (...args: A): Eventual<Enforcement | undefined> => {
    const request = host.requestOf(...args);
    if (watch) watch = watch.asked(request);
    const requestClass = classify(request, args);
    if (requestClass === 'exempt') return engine.notCounted('allowList');
    const chain = chainOf(request);
    if (requestClass === 'denied') {
      engine.notCounted('denyList');
      return turnAway(chain, FORBIDDEN);
    }
    if (line) {
      const next: Parameters<typeof line.reserve>[2] = (reservation, hasRoom) =>
        rule(reservation, chain, args, hasRoom);
      return recover<Enforcement | undefined>(
        () => line.reserve(args, chain, next),
        (error) => fail(chain, error),
      );
    }
    // Needs no closure if the reservation is no promise.
    let reserved: Eventual<HttpGrantedReservation | undefined>;
    let spending: HostSpending | undefined;
    try {
      const spend = host.spendOf?.(...args);
      spending = spend && hostSpending(spend);
      reserved = reserveFor(engine.current, args, spending);
    } catch (error) {
      return fail(chain, error);
    }
    if (!isPromise(reserved)) return rule(reserved, chain, args, true, spending);
    return Promise.resolve(reserved).then(
      (reservation) => rule(reservation, chain, args, true, spending),
      (error) => fail(chain, error),
    );
  };

  return {
    policy: policy.name,
    countsByAddress:
      typeof options.onMissingKey !== 'function' &&
      policy.items.some(({ keyGenerators }) => keyGenerators === undefined),
    mayHoldSlots: engine.current.policy.items.some(({ limit }) => typeof limit === 'function' || usesSlots(limit)),
    enforce: answering(store.async, enforce) as Enforcer<A>['enforce'],
    reset: async (key) => engine.current.reset(key),
    ...policyVerbs(engine),
  };
}

/** Returns the options for a peek: nobody is told about it, and nothing follows its end. */
function withoutHooks<A extends Args>(options: HttpOptions<A>): HttpOptions<A> {
  const { onDecision, onLimitReached, skipFailedRequests, skipSuccessfulRequests, ...others } = options;
  return others as HttpOptions<A>;
}
