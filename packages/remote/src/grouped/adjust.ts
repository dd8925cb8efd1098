import { allowedVerdict } from '@sluice/core/src/stores/reply';
import type { Change, ChangeResponse, ChangeResult, LimitCheck } from '@sluice/core/src/stores/store';
import { publishStoreError } from '@sluice/core/src/stores/store-failure';
import type { Verdict } from '@sluice/core/src/values/decision';
import { type Group, isShadow } from './groups.js';

/**
 * If groups have different results, the first of these wins: one that has to be asked again, then one that changed
 * something.
 */
const ORDER = ['outside-calendar-bounds', 'applied', 'given-back', 'repeated', 'expired'] as const;

/**
 * Corrects each group by itself. If a group of shadow checks fails beside others, the failure is published, and its
 * verdicts allow everything.
 */
export async function adjustInGroups(change: Change, groups: readonly Group[]): Promise<ChangeResponse> {
  return mergedChange(change.checks, groups, await Promise.all(groups.map((group) => adjusted(change, group, groups))));
}

async function adjusted(change: Change, group: Group, groups: readonly Group[]): Promise<ChangeResponse> {
  const { checks, decider } = group;
  try {
    return await decider.adjust({ ...change, checks });
  } catch (error) {
    if (!isShadow(group) || groups.every(isShadow)) throw error;
    publishStoreError(checks, error);
    return { atMs: 0, result: 'expired', verdicts: checks.map((check) => allowedVerdict({ ...check, cost: 1 })) };
  }
}

/** Merges the responses into one, with the verdicts in the order of the change. */
function mergedChange(
  checks: readonly LimitCheck[],
  groups: readonly Group[],
  responses: readonly ChangeResponse[],
): ChangeResponse {
  const outside = responses.find(({ result }) => result === 'outside-calendar-bounds');
  if (outside) return outside;
  const verdicts = new Map<LimitCheck, Verdict>();
  const results = new Map<LimitCheck, ChangeResult>();
  groups.forEach((group, i) => {
    const response = responses[i] as ChangeResponse;
    group.checks.forEach((check, j) => {
      verdicts.set(check, response.verdicts[j] as Verdict);
      results.set(check, response.result);
    });
  });
  const result = ORDER.find((one) => responses.some((response) => response.result === one)) ?? 'expired';
  const isOfAll = responses.every((response) => response.result === result);
  return {
    atMs: Math.max(0, ...responses.map(({ atMs }) => atMs)),
    result,
    ...(!isOfAll && { results: checks.map((check) => results.get(check) as ChangeResult) }),
    verdicts: checks.map((check) => verdicts.get(check) as Verdict),
  };
}
