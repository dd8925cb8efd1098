// Why it is so: docs/why/http-steps.md

import { type Eventual, isPromise, recover, whenReady } from '../values/eventual.js';
import type { CompiledOptions } from './compiled-options.js';
import { DecidedRequest } from './decided-request.js';
import { callDecisionHook } from './decision-hook.js';
import { cancelAndThrow, type Enforcement } from './enforcement.js';
import type { HttpGrantedReservation, HttpReservation } from './http-reservation.js';
import { refuseByLimit, refuseWithoutRoom, refuseWithoutStore } from './refused-request.js';
import { finishRequest } from './request-end.js';
import type { RequestPolicies } from './request-policies.js';
import { turnOf } from './turn.js';

type Args = readonly unknown[];

/**
 * Returns what is to be done about a request after a decision.
 *
 * @param hasRoom - false if the request is refused because too many others wait
 */
export function enforcementOf<A extends Args>(
  compiled: CompiledOptions<A>,
  granted: HttpGrantedReservation,
  policies: RequestPolicies,
  args: A,
  hasRoom: boolean,
): Eventual<Enforcement> {
  const reservation = granted as HttpGrantedReservation & HttpReservation;
  reservation.policies = policies;
  policies.mark(reservation);
  const returned = reservation.allowed ? policies.charged(reservation) : undefined;
  if (compiled.options.onDecision) callDecisionHook(compiled.options, args, reservation);
  if (!isPromise(returned)) return afterCharge(compiled, reservation, policies, args, hasRoom);
  return Promise.resolve(returned).then(() => afterCharge(compiled, reservation, policies, args, hasRoom));
}

/** The same once the policies has noted the decision. */
function afterCharge<A extends Args>(
  compiled: CompiledOptions<A>,
  reservation: HttpGrantedReservation & HttpReservation,
  policies: RequestPolicies,
  args: A,
  hasRoom: boolean,
): Eventual<Enforcement> {
  const { allowed, source } = reservation;
  const restated = allowed && hasRoom ? undefined : policies.restate();
  const decided = new DecidedRequest(compiled, reservation, policies, args, restated);
  const hasNumbers = source !== 'allow' && source !== 'deny';
  if (hasNumbers && hasRoom) decided.stateLimits();
  if (compiled.extraHeaders) addExtraHeaders(decided, compiled.extraHeaders);
  if (hasNumbers && !hasRoom) return refuseWithoutRoom(decided);
  if (allowed) return admit(decided);
  return hasNumbers ? refuseByLimit(decided) : refuseWithoutStore(decided);
}

/** If they fail, nothing is charged, in any policy of the policies. */
function addExtraHeaders<A extends Args>(
  decided: DecidedRequest<A>,
  extraHeaders: NonNullable<CompiledOptions<A>['extraHeaders']>,
): void {
  decided.extraHeaders = () =>
    recover(
      () => extraHeaders(decided.args, decided.reservation),
      (error) => cancelAndThrow(decided.policies, error),
    );
}

function admit<A extends Args>(decided: DecidedRequest<A>): Eventual<Enforcement> {
  const { compiled, reservation } = decided;
  const { skipFailedRequests, skipSuccessfulRequests } = compiled.options;
  if (reservation.delayMs > 0) {
    const turn = turnOf(decided, () => refuseWithoutTurn(decided));
    if (!turn) return whenReady(refuseWithoutTurn(decided), (refused) => withFieldsOf(decided, refused));
    decided.turn = turn;
  }
  if (reservation.holdsSlot || skipFailedRequests || skipSuccessfulRequests)
    decided.finish = (outcome) => finishRequest(decided, outcome);
  return decided;
}

/** Refuses a request that was admitted, because others wait. Its fields state what is left after its charges have come back. */
function refuseWithoutTurn<A extends Args>(admitted: DecidedRequest<A>): Eventual<DecidedRequest<A>> {
  const { compiled, reservation, policies, args } = admitted;
  return refuseWithoutRoom(new DecidedRequest(compiled, reservation, policies, args, policies.restate()));
}

/** A refusal at once also adds and removes what the admission would have. */
function withFieldsOf<A extends Args>(
  { extraHeaders, outdated }: DecidedRequest<A>,
  refused: DecidedRequest<A>,
): Enforcement {
  refused.extraHeaders = extraHeaders;
  refused.outdated = outdated;
  return refused;
}
