// Why it is so: docs/why/http-steps.md

import { type Eventual, isPromise, recover, whenReady } from '../values/eventual.js';
import type { CompiledOptions } from './compiled-options.js';
import { callDecisionHook } from './decision-hook.js';
import { cancelAndThrow, type DecidedRequest, type Enforcement } from './enforcement.js';
import type { HeaderItem } from './headers/item.js';
import type { HttpGrantedReservation, HttpReservation } from './http-reservation.js';
import { refusedByLimit, refusedWithoutRoom, refusedWithoutStore } from './refused-request.js';
import { finishRequest } from './request-end.js';
import type { RequestPolicies } from './request-policies.js';
import { turnOf } from './turn.js';

type Args = readonly unknown[];

/**
 * What follows a decision: the steps to take, or only the decided request if nothing has to be awaited. Then its fields
 * are set, and it passes or gets the problem of its limits. Nothing else is made for it.
 */
export type FollowUp<A extends Args> = Enforcement | DecidedRequest<A>;

/** Whether nothing has to be awaited: there are no steps. */
export function isDecidedRequest<A extends Args>(followUp: FollowUp<A>): followUp is DecidedRequest<A> {
  return 'compiled' in followUp;
}

const NONE: readonly HeaderItem[] = [];

/**
 * Returns what follows a decision.
 *
 * @param hasRoom - false if the request is refused because too many others wait
 */
export function followUp<A extends Args>(
  compiled: CompiledOptions<A>,
  granted: HttpGrantedReservation,
  policies: RequestPolicies,
  args: A,
  hasRoom: boolean,
): Eventual<FollowUp<A>> {
  const reservation = granted as HttpGrantedReservation & HttpReservation;
  const { allowed } = reservation;
  reservation.policies = policies;
  policies.mark(reservation);
  const returned = allowed ? policies.charged(reservation) : undefined;
  if (compiled.options.onDecision) callDecisionHook(compiled.options, args, reservation);
  if (!isPromise(returned)) return stepsAfter(compiled, reservation, policies, args, hasRoom);
  return Promise.resolve(returned).then(() => stepsAfter(compiled, reservation, policies, args, hasRoom));
}

/** Returns what follows once the policies of the request have noted the decision. */
function stepsAfter<A extends Args>(
  compiled: CompiledOptions<A>,
  reservation: HttpGrantedReservation & HttpReservation,
  policies: RequestPolicies,
  args: A,
  hasRoom: boolean,
): Eventual<FollowUp<A>> {
  const { allowed, source } = reservation;
  const restated = allowed && hasRoom ? undefined : policies.restate();
  if (source === 'allow' || source === 'deny')
    return enforcementOf(withoutNumbers(compiled, reservation, policies, args, restated));
  if (!hasRoom) {
    const decided = withoutNumbers(compiled, reservation, policies, args, restated);
    return withFurtherFields(decided, refusedWithoutRoom(decided));
  }
  const ownItems = policies.add(reservation, compiled);
  const { items, outdated } = policies;
  const decided = { compiled, reservation, policies, args, items, ownItems, outdated, restated };
  if (allowed) return hasFurtherSteps(decided) ? enforcementOf(decided) : decided;
  return compiled.actsOnRefused || restated ? enforcementOf(decided) : givenBackFirst(decided);
}

/** A request about whose limits no numbers are known, or none are sent. */
function withoutNumbers<A extends Args>(
  compiled: CompiledOptions<A>,
  reservation: HttpGrantedReservation & HttpReservation,
  policies: RequestPolicies,
  args: A,
  restated: DecidedRequest<A>['restated'],
): DecidedRequest<A> {
  return { compiled, reservation, policies, args, items: NONE, ownItems: NONE, outdated: undefined, restated };
}

/** Whether an admitted request waits, gets further fields, or has something to be done when it ends. */
function hasFurtherSteps<A extends Args>({ compiled, reservation }: DecidedRequest<A>): boolean {
  return compiled.actsOnAdmitted || reservation.delayMs > 0 || reservation.holdsSlot;
}

/** Returns a refused request once the charges of the other policies have come back. */
function givenBackFirst<A extends Args>(decided: DecidedRequest<A>): Eventual<DecidedRequest<A>> {
  const cancelled = decided.policies.refuse();
  return isPromise(cancelled) ? Promise.resolve(cancelled).then(() => decided) : decided;
}

/** Makes the steps that follow a decision. */
export function enforcementOf<A extends Args>(decided: DecidedRequest<A>): Eventual<Enforcement> {
  const { allowed, source } = decided.reservation;
  if (allowed) return withFurtherFields(decided, admitted(decided));
  const isFailed = source === 'allow' || source === 'deny';
  return withFurtherFields(decided, isFailed ? refusedWithoutStore(decided) : refusedByLimit(decided));
}

function admitted<A extends Args>(decided: DecidedRequest<A>): Eventual<Enforcement> {
  const { compiled, reservation, items } = decided;
  const { delayMs, holdsSlot } = reservation;
  const headers = compiled.fields.record(items);
  const { skipFailedRequests, skipSuccessfulRequests } = compiled.options;
  const needsEnd = holdsSlot || skipFailedRequests || skipSuccessfulRequests;
  if (delayMs === 0 && !needsEnd) return { reservation, headers, delayMs };
  const turn = delayMs > 0 ? turnOf(decided, () => withoutTurn(decided)) : undefined;
  if (delayMs > 0 && !turn) return withoutTurn(decided);
  return {
    reservation,
    headers,
    delayMs,
    ...(turn && { turn }),
    ...(needsEnd && { finish: (outcome) => finishRequest(decided, outcome) }),
  };
}

/** Refuses a request that was admitted, because others wait. Its fields state what is left after its charges have come back. */
function withoutTurn<A extends Args>({
  compiled,
  reservation,
  policies,
  args,
}: DecidedRequest<A>): Eventual<Enforcement> {
  return refusedWithoutRoom(withoutNumbers(compiled, reservation, policies, args, policies.restate()));
}

/** Adds the fields of `extraHeaders`, and the names of outdated fields, to the enforcement. */
function withFurtherFields<A extends Args>(
  { compiled: { extraHeaders }, reservation, policies, args, outdated }: DecidedRequest<A>,
  enforcement: Eventual<Enforcement>,
): Eventual<Enforcement> {
  if (!extraHeaders && !outdated) return enforcement;
  return whenReady(enforcement, (own) => ({
    ...own,
    ...(extraHeaders && {
      // If this fails, nothing is charged, in any policy of the request.
      extraHeaders: () =>
        recover(
          () => extraHeaders(args, reservation),
          (error) => cancelAndThrow(policies, error),
        ),
    }),
    ...(outdated && { outdated }),
  }));
}
