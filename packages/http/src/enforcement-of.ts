// Why it is so: core/docs/why/http-steps.md

import { type Eventual, recover, whenReady } from '@sluice/core/src/values/eventual';
import type { CompiledOptions } from './compiled-options.js';
import { DecidedRequest } from './decided-request.js';
import { callDecisionHook } from './decision-hook.js';
import { cancelAndThrow, type Enforcement } from './enforcement.js';
import { type HttpGrantedReservation, type HttpReservation, POLICIES_OF_REQUEST } from './http-reservation.js';
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
  reservation[POLICIES_OF_REQUEST] = policies;
  const decided = new DecidedRequest(compiled, reservation, policies, args);
  const { allowed, source } = reservation;
  const hasNumbers = source !== 'allow' && source !== 'deny';
  const returned = policies.add(decided, hasNumbers && hasRoom);
  if (compiled.options.onDecision) callDecisionHook(compiled.options, args, reservation);
  if (compiled.extraHeaders) addExtraHeaders(decided, compiled.extraHeaders);
  if (allowed) {
    if (returned !== undefined) return admitAfter(returned, decided);
    return compiled.endMatters || reservation.delayMs > 0 ? admit(decided) : decided;
  }
  if (!hasNumbers) return refuseWithoutStore(decided);
  return hasRoom ? refuseByLimit(decided) : refuseWithoutRoom(decided);
}

// Closures have functions of their own: see "Functions" in `packages/bench/docs/v8.md`.

function admitAfter<A extends Args>(returned: Eventual<unknown>, decided: DecidedRequest<A>): Eventual<Enforcement> {
  return whenReady(returned, () => admit(decided));
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

/** Adds what follows an admission that is not over at once. */
function admit<A extends Args>(decided: DecidedRequest<A>): Eventual<Enforcement> {
  const { compiled, reservation, policies } = decided;
  const { skipFailedRequests, skipSuccessfulRequests } = compiled.options;
  const { holdsSlot } = reservation;
  if (holdsSlot) policies.holdsSlots = true;
  if (holdsSlot || skipFailedRequests || skipSuccessfulRequests) addFinish(decided);
  return reservation.delayMs > 0 ? admitInTurn(decided) : decided;
}

function addFinish<A extends Args>(decided: DecidedRequest<A>): void {
  decided.finish = (outcome) => finishRequest(decided, outcome);
}

function admitInTurn<A extends Args>(decided: DecidedRequest<A>): Eventual<Enforcement> {
  decided.turn = turnOf(decided, () => refuseWithoutTurn(decided));
  return decided.turn ? decided : whenReady(refuseWithoutTurn(decided), (refused) => withFieldsOf(decided, refused));
}

/** Refuses a request that was admitted, because others wait. Its fields state what is left after its charges have come back. */
function refuseWithoutTurn<A extends Args>(admitted: DecidedRequest<A>): Eventual<DecidedRequest<A>> {
  const { compiled, reservation, policies, args } = admitted;
  const refused = new DecidedRequest(compiled, reservation, policies, args);
  refused.restated = policies.restate();
  return refuseWithoutRoom(refused);
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
