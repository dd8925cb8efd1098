import type { Verdict } from '../../values/decision.js';
import { allowedVerdict } from '../reply.js';
import type { Change, ChangeReply, Check } from '../store.js';
import { publishStoreError } from '../store-failure.js';
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
export async function adjustInGroups(change: Change, groups: readonly Group[]): Promise<ChangeReply> {
  return mergedChange(change.checks, groups, await Promise.all(groups.map((group) => adjusted(change, group, groups))));
}

async function adjusted(change: Change, group: Group, groups: readonly Group[]): Promise<ChangeReply> {
  const { checks, decider } = group;
  try {
    return await decider.adjust({ ...change, checks });
  } catch (error) {
    if (!isShadow(group) || groups.every(isShadow)) throw error;
    publishStoreError(checks, error);
    return { atMs: 0, result: 'expired', verdicts: checks.map((check) => allowedVerdict({ ...check, cost: 1 })) };
  }
}

/** Merges the replies into one, with the verdicts in the order of the change. */
function mergedChange(
  checks: readonly Check[],
  groups: readonly Group[],
  replies: readonly ChangeReply[],
): ChangeReply {
  const outside = replies.find(({ result }) => result === 'outside-calendar-bounds');
  if (outside) return outside;
  const verdicts = new Map<Check, Verdict>();
  groups.forEach((group, i) => {
    group.checks.forEach((check, j) => {
      verdicts.set(check, replies[i]?.verdicts[j] as Verdict);
    });
  });
  return {
    atMs: Math.max(0, ...replies.map(({ atMs }) => atMs)),
    result: ORDER.find((result) => replies.some((reply) => reply.result === result)) ?? 'expired',
    verdicts: checks.map((check) => verdicts.get(check) as Verdict),
  };
}
