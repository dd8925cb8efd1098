import { allowedVerdict } from '@sluice/core/src/stores/reply';
import type { LimitCheck, StoreResponse } from '@sluice/core/src/stores/store';
import { publishStoreError } from '@sluice/core/src/stores/store-failure';
import type { Verdict } from '@sluice/core/src/values/decision';
import { type GroupedRequest, isRepetition, type Outcome } from './grouped-request.js';
import type { Group } from './groups.js';

/** Merges the responses of all groups into one, with the verdicts in the order of the request. */
export function merged(
  { request: { checks }, groups }: GroupedRequest,
  responses: readonly StoreResponse[],
): StoreResponse {
  const outside = responses.find(({ outsideCalendarBounds }) => outsideCalendarBounds);
  if (outside) return outside;
  const verdicts = new Map<LimitCheck, Verdict>();
  const times = new Map<LimitCheck, number | undefined>();
  groups.forEach((group, i) => {
    const response = responses[i] as StoreResponse;
    group.checks.forEach((check, j) => {
      verdicts.set(check, response.verdicts[j] as Verdict);
      times.set(check, timeOf(response, j));
    });
  });
  const atMs = Math.max(...responses.map((response) => response.atMs));
  const timesMs = checks.map((check) => times.get(check));
  const attempt = responses.find((response) => response.attempt !== undefined)?.attempt;
  const all = {
    atMs,
    ...(attempt !== undefined && { attempt }),
    ...(responses.some(isRepetition) && { nowMs: Math.max(...responses.map(({ nowMs, atMs }) => nowMs ?? atMs)) }),
    allowed: responses.every(({ allowed }) => allowed),
    verdicts: checks.map((check) => verdicts.get(check) as Verdict),
  };
  return timesMs.every((timeMs) => timeMs === atMs) ? all : { ...all, timesMs };
}

/** Merges the outcomes of all groups. A group that failed counts as allowed. */
export function mergedOutcomes(grouped: GroupedRequest, outcomes: readonly Outcome[]): StoreResponse {
  const responses = outcomes.map((outcome, i) =>
    'response' in outcome ? outcome.response : inPlaceOf(grouped.groups[i] as Group, outcome.error),
  );
  return merged(grouped, responses);
}

/** Publishes the failure of a group, and returns the response in its place. The group has charged nothing that could be given back. */
export function inPlaceOf({ checks }: Group, error: unknown): StoreResponse {
  publishStoreError(checks, error);
  return { atMs: 0, allowed: true, verdicts: checks.map(allowedVerdict), timesMs: checks.map(() => undefined) };
}

/** Returns when the check at this index was charged; undefined if it was not. */
export function timeOf({ atMs, timesMs }: StoreResponse, index: number): number | undefined {
  return timesMs ? timesMs[index] : atMs;
}
