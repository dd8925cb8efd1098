import { optionError } from '@sluice/core/src/values/error';
import { publish, type SkipReason } from '@sluice/core/src/values/events';
import { policyRecorder } from '@sluice/core/src/values/policy-recorder';
import { compileOptions } from '../enforcement/compiled-options.js';
import { ProxyWatch } from '../keys/key-warnings.js';
import { classifierOf } from '../keys/request-classifier.js';
import { checkLimiterOptions, type LimiterOptions } from '../options/limiter-options.js';
import { REQUEST_LIMITER } from '../options/request-limiter.js';
import type { Host } from '../request/host.js';
import type { HttpGrantedReservation } from '../request/http-reservation.js';
import { callReader, limiterVerbs } from './limiter-calls.js';
import { LimiterReservation } from './limiter-reservation.js';
import { PolicyDecider } from './policy-decider.js';
import type { Decider } from './policy-handle.js';

type Args = readonly unknown[];

/**
 * Makes the decider of a policy whose limits somebody else has. It reads the request and asks; what follows the decision is
 * the same as for every other policy.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function createLimiterDecider<A extends Args>(options: LimiterOptions<A>, host: Host<A>): Decider<A> {
  checkLimiterOptions(options);
  if (host.spendOf)
    throw optionError('limiter', 'cannot be used here: give the policy limits of its own', options.limiter);
  const { name: policy, [REQUEST_LIMITER]: decisions } = options.limiter;
  const { skip } = options;
  const classify = classifierOf(options, new ProxyWatch(host));
  const compiled = compileOptions(options, { store: decisions, policy }, decisions.clock, undefined);
  const callOf = callReader(options, host);
  const notCounted = (reason: SkipReason): undefined => {
    policyRecorder(policy).skipped[reason] += 1;
    publish('sluice:skipped', { policy, reason });
  };
  const reserve = async (args: A): Promise<HttpGrantedReservation | undefined> => {
    if (skip && (await skip(...args))) return notCounted('skip');
    const own = await decisions.reserve(await callOf(args));
    return own && new LimiterReservation(own);
  };
  // No host of such a policy peeks.
  const engine = { current: { notCounted, reserve, peekReservation: reserve } };
  const decider = new PolicyDecider({ options, host, classify, compiled, engine });
  return {
    handle: { policy, ...limiterVerbs(options, callOf) },
    countsByAddress: false,
    mayHoldSlots: false,
    isAsync: true,
    decide: decider.decide,
  };
}
