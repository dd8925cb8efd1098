import { type Eventual, recover, whenReady } from '../values/eventual.js';
import type { Chain } from './chain.js';
import { callDecisionHook } from './decision-hook.js';
import { type DecidedRequest, type Enforcement, type Fields, giveUp, type Rules } from './enforcement.js';
import type { HttpGrantedReservation, HttpReservation } from './http-reservation.js';
import { refusedByLimit, refusedWithoutRoom, refusedWithoutStore } from './refused-request.js';
import { finishRequest } from './request-end.js';

type Args = readonly unknown[];

const NOTHING = (): void => {};

/** Makes the enforcement of a decision. */
export function enforcementOf<A extends Args>(
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
  const wait = (gone: AbortSignal): Promise<void> => rules.clock.sleep(delayMs, gone).finally(end);
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
