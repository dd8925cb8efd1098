// Why it is so: core/docs/why/several-servers.md

import { isRemembered } from '@sluice/core/src/stores/operation-record';
import {
  askGroup,
  type GroupedRequest,
  isRefusal,
  isRepetition,
  type Outcome,
  outcomeOf,
  peekOne,
} from './grouped-request.js';
import type { Group } from './groups.js';

/**
 * Lets groups record that another one has refused: `countRejected` counts it, and limits that refuse as well begin their
 * `blockDuration`. Returns their verdicts. Groups without these options are only looked at.
 */
export function recordRefusal(grouped: GroupedRequest, groups: readonly Group[]): Promise<readonly Outcome[]> {
  return Promise.all(
    groups.map(async (group) => {
      const recorded = hasPenalties(group) ? await recordIn(grouped, group) : undefined;
      // A group that remembers its response shows it to this call as to those that repeat it.
      return recorded && !isRemembered(grouped.request) ? recorded : peekOne(grouped, group);
    }),
  );
}

/**
 * Lets groups record that one of them refuses, as a look at all of them has shown. A refusal that repeats an earlier one was
 * recorded then.
 */
export async function recordSeenRefusal(
  grouped: GroupedRequest,
  groups: readonly Group[],
  looks: readonly Outcome[],
): Promise<readonly Outcome[]> {
  const isRecorded = looks.some((look) => isRefusal(look) && isRepetition(look.response));
  if (isRecorded || !groups.some(hasPenalties)) return looks;
  const outcomes = await recordRefusal(grouped, groups);
  return outcomes.some(isRefusal) ? outcomes : looks;
}

function recordIn({ request, budget }: GroupedRequest, group: Group): Promise<Outcome> {
  const { holdMs, ...anew } = request;
  return outcomeOf(budget.within(askGroup({ ...anew, peek: 'refused' }, group, budget)));
}

/** Whether a refused request leaves anything behind here. */
function hasPenalties({ checks }: Group): boolean {
  return checks.some(({ limit }) => limit.countRejected !== undefined || limit.blockMs !== undefined);
}
