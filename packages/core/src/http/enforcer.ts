import { Engine } from '../limiter/engine.js';
import { storeFor } from '../limiter/limiter.js';
import { policyOf } from '../limiter/policy/parse.js';
import { claimName } from '../limiter/policy/registry.js';
import { addReplaceable, prepareEngine, replacedOptions } from '../limiter/replace-policy.js';
import type { Answer } from '../stores/store.js';
import { optionError } from '../values/error.js';
import { answering, type Eventual, isPromise, recover, whenReady } from '../values/eventual.js';
import type { Key } from '../values/key.js';
import { usesSlots } from '../values/limit.js';
import { Chain, chainOf } from './chain.js';
import { callDecisionHook } from './decision-hook.js';
import { DelayedRequests } from './delayed-requests.js';
import { type DecidedRequest, type Enforcement, type Fields, giveUp, type Rules, turnAway } from './enforcement.js';
import { extraHeadersOf } from './extra-headers.js';
import { HandlerWatch } from './handler-watch.js';
import { ownFieldNames, retryAfterNames } from './headers/field-options.js';
import { headerFields } from './headers/fields.js';
import { type HostSpend, type HostSpending, hostSpending, reserveFor } from './host-spend.js';
import { refusalOfError } from './http-refusal.js';
import { HttpGrantedReservation, type HttpReservation } from './http-reservation.js';
import { addressMatcher, isAddressList } from './keys/address-list.js';
import type { ProxyTrust } from './keys/proxy-trust.js';
import { waitingOf } from './max-wait.js';
import { FORBIDDEN } from './node/problem.js';
import type { HttpRequest } from './node/request.js';
import { checkHttpOptions, HTTP_OPTIONS, type HttpOptions } from './options.js';
import { type PolicyVerbs, policyVerbs } from './policy-verbs.js';
import { isRefusedByLimit, reconsidered } from './reconsider.js';
import { refusedByLimit, refusedWithoutRoom, refusedWithoutStore } from './refused-request.js';
import { finishRequest } from './request-end.js';
import { RequestKeys } from './request-key.js';
import { RequestLine } from './request-line.js';
import { ProxyWatch, TwiceWatch, warnOfZero } from './warnings.js';

type Args = readonly unknown[];

const NOTHING = (): void => {};

/** How an adapter reads the requests of its framework. */
export interface Host<A extends Args> {
  /** Returns the same object for every policy that a request passes. */
  requestOf(...args: A): HttpRequest;
  /**
   * Returns which proxies the framework trusts to send `X-Forwarded-For`: see `proxyTrustOf`. Undefined if that is not
   * known; then nothing is warned about.
   */
  proxyTrust(...args: A): ProxyTrust | undefined;
  /**
   * Calls `tell` once when the request has ended in any way, and at once if it already has. Returns a function that stops
   * it. Absent: a request with `maxWait` waits as long as it may, even if its client has left.
   */
  onEnd?(tell: () => unknown, ...args: A): () => void;
  /**
   * Returns how a request spends, in place of what the policy says: a kind, a cost, and an id with which it may be repeated.
   * Undefined: as the policy says. Requests of such a host cannot wait: it must not have policies with `maxWait`.
   */
  spendOf?(...args: A): HostSpend | undefined;
}

/** A policy in use. Adapters give it to their users beside the middleware. */
export interface PolicyHandle<A extends Args = never> extends PolicyVerbs<A> {
  /** The name of the policy. */
  readonly policy: string;
  /**
   * Removes the states of a key in every limit of the policy: `reset(ipKey('203.0.113.7'))`. Resolves with whether
   * there were any. Rejects if the store fails.
   */
  reset(key: Key): Promise<boolean>;
}

/** A policy as adapters see it. */
export interface Enforcer<A extends Args> extends PolicyHandle<A> {
  /** Whether a limit has no `keyGenerator`, so that a request without an address and a key cannot be counted. */
  readonly countsByAddress: boolean;
  /** Whether it may give a request a slot: it has a concurrency limit, or a limit that a function chooses. */
  readonly mayHoldSlots: boolean;
  /**
   * Decides about a request. Returns undefined if it is not counted. The result is no promise if the store and the
   * options are synchronous.
   */
  enforce(...args: A): Answer<Enforcement | undefined>;
}

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
  options: HttpOptions<A>,
  host: Host<A>,
  owner: object = options,
): Enforcer<A> {
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
  const rules: Rules<A> = { options, engine, fieldsOf, names, tellsOfLimits, retryAfter, extraHeaders, delayed };
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
      return recover(
        () =>
          whenReady(reconsidered(reconsider, engine.current, args, reservation, spending), (last) =>
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

/** Makes the enforcement of a decision. */
function enforcementOf<A extends Args>(
  rules: Rules<A>,
  reservation: HttpGrantedReservation,
  chain: Chain,
  args: A,
  hasRoom: boolean,
): Eventual<Enforcement> {
  reservation.chain = chain;
  chain.mark(reservation);
  const decided = { rules, reservation: reservation as HttpGrantedReservation & HttpReservation, chain, args };
  const { onDecision } = rules.options;
  if (onDecision) callDecisionHook(rules.options, args, reservation);
  const { allowed, source } = reservation;
  if (source === 'allow' || source === 'deny')
    return withFurtherFields(decided, allowed ? admitted(decided, {}) : refusedWithoutStore(decided), undefined);
  if (!hasRoom) return withFurtherFields(decided, refusedWithoutRoom(decided), undefined);
  const items = chain.add(reservation, rules.tellsOfLimits);
  const fields = chain.fields(rules.fieldsOf, rules.names);
  const own = allowed ? admitted(decided, fields) : refusedByLimit(decided, items, fields);
  return withFurtherFields(decided, own, chain.outdated);
}

function admitted<A extends Args>(decided: DecidedRequest<A>, headers: Fields): Eventual<Enforcement> {
  const { rules, reservation, chain } = decided;
  const { delayMs, holdsSlot } = reservation;
  chain.charged(reservation);
  const { skipFailedRequests, skipSuccessfulRequests } = rules.options;
  const needsEnd = holdsSlot || skipFailedRequests || skipSuccessfulRequests;
  if (delayMs === 0 && !needsEnd) return { reservation, headers, delayMs };
  const end = delayMs > 0 && rules.delayed ? rules.delayed.add(delayMs) : NOTHING;
  if (end === undefined) return refusedWithoutRoom(decided);
  const wait = (gone: AbortSignal): Promise<void> => rules.engine.store.clock.sleep(delayMs, gone).finally(end);
  return {
    reservation,
    headers,
    delayMs,
    ...(delayMs > 0 && { turn: chain.turn(wait) }),
    ...(needsEnd && { finish: (outcome) => finishRequest(decided, outcome) }),
  };
}

/** Adds the fields of `extraHeaders`, and the names of outdated fields, to the enforcement. */
function withFurtherFields<A extends Args>(
  { rules: { extraHeaders }, reservation, chain, args }: DecidedRequest<A>,
  enforcement: Eventual<Enforcement>,
  outdated: readonly string[] | undefined,
): Eventual<Enforcement> {
  if (!extraHeaders && !outdated) return enforcement;
  return whenReady(enforcement, (own) => ({
    ...own,
    ...(extraHeaders && {
      // If this fails, nothing is charged, in any policy of the chain.
      extraHeaders: () =>
        recover(
          () => extraHeaders(args, reservation),
          (error) => giveUp(chain, error),
        ),
    }),
    ...(outdated && { outdated }),
  }));
}

/** Makes the function that decides by the address lists whether a request is counted. */
function classifierOf<A extends Args>(
  { allowList = [], denyList = [] }: HttpOptions<A>,
  proxies: ProxyWatch<A>,
): (request: HttpRequest, args: A) => 'counted' | 'exempt' | 'denied' {
  const isAllowed = addressMatcher(allowList, 'allowList');
  const isDenied = addressMatcher(denyList, 'denyList');
  const hasLists = [allowList, denyList].some((list) => isAddressList(list) || list.length > 0);
  return (request, args) => {
    // Frameworks compute the address again each time it is read.
    if (!hasLists) return 'counted';
    proxies.addressUsed(request, args);
    const { ip } = request;
    if (isDenied(ip)) return 'denied';
    return isAllowed(ip) ? 'exempt' : 'counted';
  };
}
