import type { DeadlineBudget } from '@sluice/core/src/stores/deadline';
import type { StoreRequest, StoreResponse } from '@sluice/core/src/stores/store';
import type { Group } from './groups.js';

/** A request that no single step reaches as a whole, and how long the caller waits. */
export interface GroupedRequest {
  readonly request: StoreRequest;
  readonly groups: readonly Group[];
  readonly budget: DeadlineBudget;
}

/** The result of asking one group. */
export type Outcome = { readonly response: StoreResponse } | { readonly error: unknown };

/** Asks one group about its checks. */
export async function askGroup(
  request: StoreRequest,
  { checks, decider }: Group,
  budget: DeadlineBudget,
): Promise<StoreResponse> {
  return decider.consume({ ...request, checks }, budget);
}

/** Returns the result of an answer, which is no error of its own if the group fails. */
export function outcomeOf(answer: Promise<StoreResponse>): Promise<Outcome> {
  return answer.then(
    (response) => ({ response }),
    (error: unknown) => ({ error }),
  );
}

/** Looks at one group. */
export function peekOne({ request, budget }: GroupedRequest, group: Group): Promise<Outcome> {
  return outcomeOf(budget.within(askGroup({ ...request, peek: true }, group, budget)));
}

/** Looks at several groups at once. */
export function peekAll(grouped: GroupedRequest, groups: readonly Group[]): Promise<readonly Outcome[]> {
  return Promise.all(groups.map((group) => peekOne(grouped, group)));
}

/** Whether a group refuses. */
export function isRefusal(outcome: Outcome): outcome is Extract<Outcome, { response: StoreResponse }> {
  return 'response' in outcome && !outcome.response.allowed;
}

/** Whether a response repeats an earlier one. */
export function isRepetition({ nowMs }: StoreResponse): boolean {
  return nowMs !== undefined;
}
