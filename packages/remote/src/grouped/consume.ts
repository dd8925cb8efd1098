// Why it is so: core/docs/why/several-servers.md

import { DeadlineBudget } from '@sluice/core/src/stores/deadline';
import { isRemembered } from '@sluice/core/src/stores/operation-record';
import type { StoreRequest, StoreResponse } from '@sluice/core/src/stores/store';
import { isMistake, SluiceError } from '@sluice/core/src/values/error';
import { checkDecidable } from './decidable.js';
import { giveBack, giveBackLater } from './give-back.js';
import { askGroup, type GroupedRequest, isRefusal, isRepetition, outcomeOf, peekAll } from './grouped-request.js';
import { type Group, isLevel, isShadow } from './groups.js';
import { inPlaceOf, merged, mergedOutcomes } from './merged.js';
import { inSameAttempt, inTurn, refusingNext } from './order.js';
import { recordRefusal, recordSeenRefusal } from './penalties.js';

/**
 * Decides group by group, because no step reaches all groups.
 *
 * - The groups are asked one after another, in the order of `inTurn`. Before a token bucket spends, the groups after it are looked
 *   at: what they would refuse must not cost the bucket the little that it may lose by giving back. A group that would refuse is
 *   asked next.
 * - As soon as one enforced limit refuses, the request is refused, whatever happens to the other groups. They record the refusal, as
 *   one step would.
 * - If a group refuses or fails, the units that earlier groups spent are given back. So no limit is exceeded, but for a moment another
 *   request may be refused because of units that come back. If the groups remember their replies, units stay spent after a failure:
 *   groups that have replied give the same response to a repeated request, and are charged for it only once.
 * - If a group of shadow checks fails, the failure is published, and the group counts as allowed. If a group with an enforced limit
 *   is known to be unreachable, the request fails at once, and no other group is asked.
 *
 * @param places - several groups, as `groupsOf` returns them
 * @param budget - the time for all groups together; units that are spent after it are given back. Default: no end.
 * @throws SluiceError `SLUICE_UNSUPPORTED` for a request with `atLeast`, and for enforced leaky buckets in more than one group,
 * because a leaky bucket gives nothing back
 */
export async function consumeInGroups(
  request: StoreRequest,
  places: readonly Group[],
  budget: DeadlineBudget = new DeadlineBudget(),
): Promise<StoreResponse> {
  if (request.atLeast !== undefined) {
    throw new SluiceError('SLUICE_UNSUPPORTED', 'atLeast needs checks that are decided in one step');
  }
  const groups = inTurn(places);
  const grouped = { request, groups, budget };
  if (request.renew) return merged(grouped, await Promise.all(groups.map((group) => askGroup(request, group, budget))));
  checkDecidable(groups);
  return request.peek ? peeked(grouped) : consumed(grouped);
}

async function consumed(inOrder: GroupedRequest): Promise<StoreResponse> {
  const { request, budget } = inOrder;
  const firstLevel = inOrder.groups.findIndex(isLevel);
  const responses: StoreResponse[] = [];
  let grouped = inOrder;
  let current = request;
  for (let i = 0; i < grouped.groups.length; i += 1) {
    if (i === firstLevel) grouped = await refusingNext(grouped, i);
    const group = grouped.groups[i] as Group;
    const answer = askGroup(current, group, budget);
    const outcome = await outcomeOf(budget.within(answer));
    if ('error' in outcome) {
      if (!isRemembered(request)) giveBackLater(request, group, answer);
      if (!isShadow(group) || isMistake(outcome.error)) return failed(grouped, responses, outcome.error);
      responses.push(inPlaceOf(group, outcome.error));
    } else if (outcome.response.allowed) {
      responses.push(outcome.response);
      current = inSameAttempt(request, outcome.response);
    } else return refused(grouped, responses, outcome.response);
  }
  return merged(grouped, responses);
}

/**
 * Gives back what was spent, and has the other groups record the refusal. One that repeats an earlier refusal was recorded then.
 *
 * @param spent - the responses of the groups before the one that refuses
 */
async function refused(
  grouped: GroupedRequest,
  spent: readonly StoreResponse[],
  refusal: StoreResponse,
): Promise<StoreResponse> {
  if (refusal.outsideCalendarBounds) {
    if (!isRemembered(grouped.request)) await giveBack(grouped, spent);
    return refusal;
  }
  await giveBack(grouped, spent);
  const index = spent.length;
  const others = grouped.groups.toSpliced(index, 1);
  const outcomes = await (isRepetition(refusal) ? peekAll : recordRefusal)(grouped, others);
  return { ...mergedOutcomes(grouped, outcomes.toSpliced(index, 0, { response: refusal })), allowed: false };
}

/**
 * Gives back what was spent. If another group would refuse, the response is that refusal, and the groups record it; otherwise the error
 * is thrown. The group that failed is not asked again.
 *
 * @param spent - the responses of the groups before the one that failed
 */
async function failed(
  grouped: GroupedRequest,
  spent: readonly StoreResponse[],
  error: unknown,
): Promise<StoreResponse> {
  if (!isRemembered(grouped.request)) await giveBack(grouped, spent);
  if (isMistake(error)) throw error;
  const index = spent.length;
  const others = grouped.groups.toSpliced(index, 1);
  const looks = await peekAll(grouped, others);
  if (!looks.some(isRefusal)) throw error;
  const outcomes = await recordSeenRefusal(grouped, others, looks);
  const response = mergedOutcomes(grouped, outcomes.toSpliced(index, 0, { error }));
  if (response.outsideCalendarBounds) throw error;
  return response;
}

async function peeked(grouped: GroupedRequest): Promise<StoreResponse> {
  const outcomes = await peekAll(grouped, grouped.groups);
  const isRefused = outcomes.some(isRefusal);
  const failure = outcomes.find((outcome, i) => 'error' in outcome && !isShadow(grouped.groups[i] as Group));
  if (failure && 'error' in failure && !isRefused) throw failure.error;
  return mergedOutcomes(grouped, outcomes);
}
