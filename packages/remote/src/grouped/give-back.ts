// Why it is so: core/docs/why/several-servers.md

import { chargedChecks } from '@sluice/core/src/stores/check-parts';
import { isRemembered, slotIdOf, UNSPENT_FOR_MS } from '@sluice/core/src/stores/operation-record';
import { requestTimeoutOf } from '@sluice/core/src/stores/request-timeout';
import type { Correction, StoreRequest, StoreResponse } from '@sluice/core/src/stores/store';
import { usesSlots } from '@sluice/core/src/values/limit';
import { nextOperationId } from '@sluice/core/src/values/operation-id';
import type { GroupedRequest } from './grouped-request.js';
import type { Group } from './groups.js';
import { timeOf } from './merged.js';

/**
 * Gives back what the groups that have replied spent, as `RETURNS` says. If that fails, the units stay spent, which is the strict
 * side.
 */
export async function giveBack(
  { request, groups, budget }: GroupedRequest,
  spent: readonly StoreResponse[],
): Promise<void> {
  const returns = spent.map((response, i) => giveBackTo(groups[i] as Group, request, response));
  await budget.within(Promise.all(returns)).catch(() => {});
}

/** Gives back what a group still spends after the request was given up. */
export function giveBackLater(request: StoreRequest, group: Group, answer: Promise<StoreResponse>): void {
  answer.then((response) => (response.allowed ? giveBackTo(group, request, response) : undefined)).catch(() => {});
}

async function giveBackTo({ checks, decider }: Group, request: StoreRequest, response: StoreResponse): Promise<void> {
  const { verdicts, atMs } = response;
  const changes = checks.flatMap((check, i): Correction[] => {
    const timeMs = timeOf(response, i);
    const verdict = verdicts[i];
    if (!verdict?.allowed || timeMs === undefined) return [];
    const charged = chargedChecks(check, verdict).filter(({ cost }) => cost > 0);
    return charged.map((one) => ({ ...one, cost: -one.cost, atMs: timeMs }));
  });
  // If the groups remember their replies, a repeated request was given back when it was first asked. A slot has no other name
  // than its id.
  const isOnce = isRemembered(request);
  const named = changes.filter(({ limit }) => isOnce || usesSlots(limit));
  const others = changes.filter((change) => !named.includes(change));
  const id = slotIdOf({ ...request, ...(response.attempt !== undefined && { attempt: response.attempt }) });
  const kept = isOnce ? { keptUntilMs: atMs + request.holdMs } : {};
  // A repeated request gives back as long as the response is remembered.
  const notAfterMs = atMs + (isOnce ? request.holdMs : 0) + UNSPENT_FOR_MS;
  const terms = { atMs, unspent: true, notAfterMs, ...requestTimeoutOf(request) } as const;
  await Promise.all([
    named.length > 0 && id !== undefined && decider.adjust({ ...terms, checks: named, id, ...kept }),
    others.length > 0 && decider.adjust({ ...terms, checks: others, id: nextOperationId() }),
  ]);
}
