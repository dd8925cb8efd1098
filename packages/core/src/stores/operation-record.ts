// Why it is so: docs/why/operations.md

import { usesSlots } from '../values/limit.js';
import type { Writable } from '../values/writable.js';
import type { Change, LimitCheck, StoreRequest, StoreResponse } from './store.js';

/**
 * The record of an operation: the response to a request with an `id` and `holdMs`. A store writes it in the step that decides,
 * and keeps it for `holdMs`. Its charge has at most one correction, which a store records under the id of the Change.
 * This file has the rules for both, for all stores; `lua/operation-record.lua` of `@sluice/redis` follows it.
 *
 * | State     | Begins with                                | A repeated request                         | A correction                         |
 * | --------- | ------------------------------------------ | -------------------------------------- | ------------------------------------ |
 * | refused   | a decision that refuses                    | gets the response                         | there is nothing to correct          |
 * | reserved  | a decision that allows                     | gets the response                         | is made                              |
 * | settled   | a correction that keeps or changes a cost  | gets the response; decided anew with slots | `'repeated'`                         |
 * | cancelled | a correction that gives all back           | the same                               | `'repeated'`                         |
 * | expired   | an end that gives back (`givesBack`)       | the same                               | `'given-back'`, then charged anew    |
 *
 * The response also says which checks were not enforced. That stays so for a repeated request, whatever is enforced by now: otherwise it
 * would admit what was refused, and so was never charged.
 *
 * The slots of an operation belong to the attempt that was decided. If they are not held any more, because the operation
 * was corrected or their lease has ended, a repeated request is decided anew, under its own attempt.
 */
export interface OperationRecord {
  readonly response: StoreResponse;
  /** The attempt that was decided. Undefined: the requests have none, and the id of the operation names its slots. */
  readonly attempt: string | undefined;
}

/** What a store remembers of a correction. `'given-back'`: the charge ended by itself, and its work may be charged once more. */
export type MadeChange = 'repeated' | 'given-back';

/**
 * How long a change is remembered at most, if `keptUntilMs` does not ask for more. A charge that counts longer is corrected twice if
 * its second correction comes after that.
 */
const LONGEST_REMEMBERED_MS = 86_400_000;

/**
 * Until how long after a charge the library gives it back unspent. Requests that are refused, and slices, come without end, and each
 * leaves the id of its change. So the id must not be kept as long as a long limit counts.
 */
export const UNSPENT_FOR_MS = 60_000;

/** A request whose response is remembered. */
export type RememberedRequest = StoreRequest & Required<Pick<StoreRequest, 'id' | 'holdMs'>>;

/** Whether the response to a request is remembered. Without `holdMs` an id marks no repetition: it names a slot. */
export function isRemembered(request: StoreRequest): request is RememberedRequest {
  const { id, holdMs = 0 } = request;
  return id !== undefined && holdMs > 0;
}

/** Returns the id under which a request takes slots. */
export function slotIdOf({ id, attempt = id }: Pick<StoreRequest, 'id' | 'attempt'>): string | undefined {
  return attempt;
}

/** How a store keeps the operation of a request. */
interface KeptOperation {
  /** What is remembered of it; undefined if nothing is. */
  readonly record: OperationRecord | undefined;
  /** Whether a check's slot is held under an id. */
  holdsSlot(check: LimitCheck, i: number, id: string): boolean;
  /** Decides about the request as if it were the first one. The response is a new object, which gets the attempt. */
  decide(): Writable<StoreResponse>;
  remember(record: OperationRecord): void;
}

/** Returns the response of an operation again; or decides, and remembers the response. A peek is not remembered. */
export function replayOrDecide(
  request: RememberedRequest,
  { record, holdsSlot, decide, remember }: KeptOperation,
  nowMs: number,
): StoreResponse {
  if (record && isRepeated(record, request, holdsSlot)) return { nowMs, ...record.response };
  const response = decide();
  if (response.outsideCalendarBounds) return response;
  const { attempt, peek } = request;
  // A copy with the attempt would take a quarter of the whole operation.
  if (attempt !== undefined) response.attempt = attempt;
  if (!peek) remember({ response, attempt });
  return response;
}

/** Whether a request gets the response of a record. */
function isRepeated(
  { response, attempt }: OperationRecord,
  request: RememberedRequest,
  holdsSlot: KeptOperation['holdsSlot'],
): boolean {
  if (!response.allowed) return true;
  if (request.onlyAttempt && attempt !== request.attempt) return false;
  const slotId = attempt ?? request.id;
  return request.checks.every((check, i) => !tookSlot(check, i, response) || holdsSlot(check, i, slotId));
}

function tookSlot({ limit, cost }: LimitCheck, i: number, { verdicts }: StoreResponse): boolean {
  return usesSlots(limit) && cost > 0 && verdicts[i]?.allowed === true;
}

/**
 * Returns the result of a change that is not made: it comes too late, or it was made before. Undefined if it is to be made.
 *
 * @param made - what the store remembers under the id of the change
 */
export function notMadeBecause(
  { notAfterMs }: Change,
  made: MadeChange | undefined,
  nowMs: number,
): MadeChange | 'expired' | undefined {
  return notAfterMs !== undefined && nowMs > notAfterMs ? 'expired' : made;
}

/** Returns what is remembered of a change that was made. */
export function madeBy({ givesBack }: Change): MadeChange {
  return givesBack ? 'given-back' : 'repeated';
}

/**
 * Returns how long a change is remembered: as long as it can be asked for again, and as long as the charge counts. Nobody else corrects
 * what is given back unspent, so after `notAfterMs` nobody asks for it again.
 *
 * @param countsMs - how long the charge counts
 */
export function changeKeptMs(change: Change, countsMs: number, nowMs: number): number {
  const { keptUntilMs = 0, notAfterMs = Number.POSITIVE_INFINITY, unspent } = change;
  // At that time itself, a change is not too late yet.
  const askedForMs = unspent ? notAfterMs + 1 - nowMs : Number.POSITIVE_INFINITY;
  return Math.max(Math.min(countsMs, LONGEST_REMEMBERED_MS, askedForMs), keptUntilMs + 1 - nowMs);
}

/** Returns a check as it was enforced when its response was made: a repeated response says the same as the first one. */
export function enforcedAs(check: LimitCheck, isShadow: boolean): LimitCheck {
  const { shadow, ...enforced } = check;
  if (isShadow === (shadow === true)) return check;
  return isShadow ? { ...enforced, shadow: true } : enforced;
}
