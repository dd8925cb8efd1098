// Why it is so: core/docs/why/http-steps.md

import { type Eventual, recover, whenReady } from '@sluice/core/src/values/eventual';
import { type HttpGrantedReservation, type HttpReservation, POLICIES_OF_REQUEST } from '../request/http-reservation.js';
import type { RequestPolicies } from '../request/request-policies.js';
import { turnOf } from '../waiting/turn.js';
import type { CompiledOptions } from './compiled-options.js';
import { callDecisionHook } from './decision-hook.js';
import { type CountedEnforcement, cancelAndThrow, Enforcement } from './enforcement.js';
import { refuseByLimit, refuseWithoutRoom, refuseWithoutStore } from './refused-request.js';
import { finishRequest } from './request-end.js';

type Args = readonly unknown[];

/**
 * Returns what is to be done with a request after a decision.
 *
 * @param hasRoom - false if the request is refused because too many others wait
 */
export function enforcementOf<A extends Args>(
  compiled: CompiledOptions<A>,
  granted: HttpGrantedReservation,
  policies: RequestPolicies,
  args: A,
  hasRoom: boolean,
): Eventual<Enforcement<A>> {
  const reservation = granted as HttpGrantedReservation & HttpReservation;
  reservation[POLICIES_OF_REQUEST] = policies;
  const enforcement = new Enforcement(compiled, policies, args, reservation);
  const { allowed, source } = reservation;
  const hasNumbers = source !== 'allow' && source !== 'deny';
  const returned = policies.add(enforcement, hasNumbers && hasRoom);
  if (compiled.options.onDecision) callDecisionHook(compiled.options, args, reservation);
  if (compiled.extraHeaders) addExtraHeaders(enforcement, compiled.extraHeaders);
  if (allowed) {
    if (returned !== undefined) return admitAfter(returned, enforcement);
    return compiled.endMatters || reservation.delayMs > 0 ? admit(enforcement) : enforcement;
  }
  if (!hasNumbers) return refuseWithoutStore(enforcement);
  return hasRoom ? refuseByLimit(enforcement) : refuseWithoutRoom(enforcement);
}

// Closures have functions of their own: see "Functions" in `packages/bench/docs/v8.md`.

function admitAfter<A extends Args>(
  returned: Eventual<unknown>,
  enforcement: CountedEnforcement<A>,
): Eventual<Enforcement<A>> {
  return whenReady(returned, () => admit(enforcement));
}

/** If they fail, nothing stays charged, in any policy that the request has passed. */
function addExtraHeaders<A extends Args>(
  enforcement: CountedEnforcement<A>,
  extraHeaders: NonNullable<CompiledOptions<A>['extraHeaders']>,
): void {
  enforcement.extraHeaders = () =>
    recover(
      () => extraHeaders(enforcement.args, enforcement.reservation),
      (error) => cancelAndThrow(enforcement.policies, error),
    );
}

/** Adds what follows an admission that is not over at once. */
function admit<A extends Args>(enforcement: CountedEnforcement<A>): Eventual<Enforcement<A>> {
  const { compiled, reservation, policies } = enforcement;
  const { skipFailedRequests, skipSuccessfulRequests } = compiled.options;
  const { holdsSlot } = reservation;
  if (holdsSlot) policies.holdsSlots = true;
  if (holdsSlot || skipFailedRequests || skipSuccessfulRequests) addFinish(enforcement);
  return reservation.delayMs > 0 ? admitInTurn(enforcement) : enforcement;
}

function addFinish<A extends Args>(enforcement: CountedEnforcement<A>): void {
  enforcement.finish = (outcome) => finishRequest(enforcement, outcome);
}

function admitInTurn<A extends Args>(enforcement: CountedEnforcement<A>): Eventual<Enforcement<A>> {
  const { clock, delayed } = enforcement.compiled;
  enforcement.turn = turnOf(enforcement, clock, delayed, () => refuseWithoutTurn(enforcement));
  return enforcement.turn
    ? enforcement
    : whenReady(refuseWithoutTurn(enforcement), (refused) => withFieldsOf(enforcement, refused));
}

/** Refuses a request that was admitted, because others wait. Its fields state what is left after its charges have come back. */
function refuseWithoutTurn<A extends Args>(admitted: CountedEnforcement<A>): Eventual<CountedEnforcement<A>> {
  const { compiled, reservation, policies, args } = admitted;
  const refused = new Enforcement(compiled, policies, args, reservation);
  refused.restated = policies.restate();
  return refuseWithoutRoom(refused);
}

/** A refusal at once also adds and removes what the admission would have. */
function withFieldsOf<A extends Args>(
  { extraHeaders, outdated }: CountedEnforcement<A>,
  refused: CountedEnforcement<A>,
): Enforcement<A> {
  refused.extraHeaders = extraHeaders;
  refused.outdated = outdated;
  return refused;
}
