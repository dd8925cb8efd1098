import { optionError } from '../values/error.js';
import { publish, type SkipReason } from '../values/events.js';
import { countsOfPolicy } from '../values/policy-counts.js';
import { compileOptions } from './compiled-options.js';
import { cancelAndThrow, type Enforcement, refuseUncounted } from './enforcement.js';
import { enforcementOf } from './enforcement-of.js';
import type { Host } from './host.js';
import { reasonOfError, refusalOfError } from './http-refusal.js';
import type { HttpGrantedReservation } from './http-reservation.js';
import { callReader, limiterVerbs } from './limiter-calls.js';
import { checkLimiterOptions, type LimiterOptions } from './limiter-options.js';
import { LimiterReservation } from './limiter-reservation.js';
import type { Decider } from './policy-handle.js';
import { FORBIDDEN } from './problem.js';
import { isRefusedByLimit, reconsidered } from './reconsider.js';
import { classifierOf } from './request-classifier.js';
import { REQUEST_LIMITER } from './request-limiter.js';
import { enterPolicy } from './request-policies.js';
import { ProxyWatch } from './warnings.js';

type Args = readonly unknown[];

/**
 * Makes the decider of a policy whose limits somebody else has. It reads the request, asks, and takes the steps that follow
 * the decision in the same way as for every other policy.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function createLimiterDecider<A extends Args>(options: LimiterOptions<A>, host: Host<A>): Decider<A> {
  checkLimiterOptions(options);
  if (host.spendOf)
    throw optionError('limiter', 'cannot be used here: give the policy limits of its own', options.limiter);
  const { name: policy, [REQUEST_LIMITER]: decisions } = options.limiter;
  const { skip, reconsider } = options;
  const classify = classifierOf(options, new ProxyWatch(host));
  const compiled = compileOptions(options, { store: decisions, policy }, decisions.clock, undefined);
  const callOf = callReader(options, host);

  const notCounted = (reason: SkipReason): undefined => {
    countsOfPolicy(policy).skipped[reason] += 1;
    publish('sluice:skipped', { policy, reason });
  };

  const reserve = async (args: A): Promise<HttpGrantedReservation | undefined> => {
    const own = await decisions.reserve(await callOf(args));
    return own && new LimiterReservation(own);
  };

  const reservationFor = async (args: A): Promise<HttpGrantedReservation | undefined> => {
    if (skip && (await skip(...args))) return notCounted('skip');
    const first = await reserve(args);
    if (!first || !reconsider || !isRefusedByLimit(first)) return first;
    return reconsidered(reconsider, () => reserve(args), args, first);
  };

  const decide = async (args: A): Promise<Enforcement | undefined> => {
    const request = host.requestOf(...args);
    const requestClass = classify?.(request, args);
    if (requestClass === 'exempt') return notCounted('allowList');
    if (requestClass === 'denied') {
      notCounted('denyList');
      return refuseUncounted(enterPolicy(request, compiled), FORBIDDEN);
    }
    let reservation: HttpGrantedReservation | undefined;
    try {
      reservation = await reservationFor(args);
    } catch (error) {
      const refusal = refusalOfError(error);
      if (!refusal) return cancelAndThrow(enterPolicy(request, compiled), error);
      notCounted(reasonOfError(error));
      return refuseUncounted(enterPolicy(request, compiled), refusal);
    }
    return reservation && enforcementOf(compiled, reservation, enterPolicy(request, compiled), args, true);
  };

  return {
    policy,
    countsByAddress: false,
    mayHoldSlots: false,
    isAsync: true,
    decide,
    ...limiterVerbs(options, callOf),
  };
}
