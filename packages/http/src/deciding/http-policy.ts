import { claimName } from '@sluice/core/src/limiter/policy/registry';
import { storeFor } from '@sluice/core/src/limiter/policy-store';
import { addReplaceable, hasMade, prepareEngine, replacedOptions } from '@sluice/core/src/limiter/replace-policy';
import { ReplaceableEngine } from '@sluice/core/src/limiter/replaceable-engine';
import { type CompiledOptions, compileOptions } from '../enforcement/compiled-options.js';
import { ProxyWatch } from '../keys/key-warnings.js';
import { classifierOf } from '../keys/request-classifier.js';
import { RequestKeys } from '../keys/request-key.js';
import { type HttpOptions, warnOfZero } from '../options/options.js';
import type { Host } from '../request/host.js';
import { HttpGrantedReservation } from '../request/http-reservation.js';
import { DelayedRequests } from '../waiting/delayed-requests.js';
import { checkMayWait, waitingPolicyOf } from '../waiting/max-wait.js';
import { RequestLine } from '../waiting/request-line.js';
import type { DecidingPolicy } from './deciding-policy.js';

type Args = readonly unknown[];

/** A policy with limits of its own, and what is made of its options once for all requests. */
interface HttpPolicy<A extends Args> extends DecidingPolicy<A> {
  readonly options: HttpOptions<A>;
  readonly engine: ReplaceableEngine<A, HttpGrantedReservation>;
  /** Whether a limit has no `keyGenerator`, so that a request without an address and a key cannot be counted. */
  readonly countsByAddress: boolean;
  /** Whether it may give a request a slot, by its limits now, or by those that may replace them. */
  readonly mayHoldSlots: boolean;
}

/**
 * Makes a policy of its options, and lets `replacePolicy` find it.
 *
 * @param owner - see `createEnforcer`
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
 */
export function createHttpPolicy<A extends Args>(options: HttpOptions<A>, host: Host<A>, owner: object): HttpPolicy<A> {
  const { policy, maxWaitMs, most } = waitingPolicyOf(options);
  if (maxWaitMs !== undefined) checkMayWait(host, options);
  const proxies = new ProxyWatch(host);
  const classify = classifierOf(options, proxies);
  const keys = new RequestKeys(options.onMissingKey, host, proxies);
  const store = storeFor(policy, options.store);
  const delayed = most === undefined ? undefined : new DelayedRequests(store.clock, most);
  const compiled = compileOptions(options, { store, policy: policy.name }, store.clock, delayed);
  // Last, so that options that are refused claim no name.
  const claim = claimName(store, policy.name, owner);
  const engine = new ReplaceableEngine(policy, { store, keys, claim, Granted: HttpGrantedReservation });
  compiled.endMatters ||= engine.current.mayTakeSlots;
  // An owner that something was made for before, such as a policy of a file, may say other limits later.
  const mayHoldSlots = engine.current.mayTakeSlots || hasMade(owner);
  // What is done to the object later says nothing about this policy.
  letReplace(owner, { ...options }, engine, compiled);
  warnOfZero(policy.items);
  return {
    options,
    host,
    classify,
    keys,
    compiled,
    engine,
    mayHoldSlots,
    line: maxWaitMs !== undefined && delayed ? new RequestLine(engine, maxWaitMs, delayed, host) : undefined,
    countsByAddress:
      typeof options.onMissingKey !== 'function' &&
      policy.items.some(({ keyGenerators }) => keyGenerators === undefined),
  };
}

/** Lets `replacePolicy` find a policy by its owner. The steps after a decision can then be more than before, but never fewer. */
function letReplace<A extends Args>(
  owner: object,
  options: HttpOptions<A>,
  engine: ReplaceableEngine<A, HttpGrantedReservation>,
  compiled: CompiledOptions<A>,
): void {
  let { delayed } = compiled;
  addReplaceable(owner, engine, {
    name: engine.policy,
    store: options.store,
    prepare(changed) {
      const waiting = waitingPolicyOf(replacedOptions(options, changed));
      const putIntoForce = prepareEngine(engine, waiting.policy, options.store);
      return () => {
        if (waiting.most !== undefined) {
          delayed ??= new DelayedRequests(compiled.clock, waiting.most);
          delayed.bound(waiting.most);
        }
        compiled.delayed = waiting.most === undefined ? undefined : delayed;
        putIntoForce();
        compiled.endMatters ||= engine.current.mayTakeSlots;
      };
    },
  });
}
