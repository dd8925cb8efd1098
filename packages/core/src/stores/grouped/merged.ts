import type { Verdict } from '../../values/decision.js';
import { allowedVerdict } from '../reply.js';
import type { Check, Reply } from '../store.js';
import { publishStoreError } from '../store-failure.js';
import { type GroupedAsk, isRepetition, type Outcome } from './grouped-ask.js';
import type { Group } from './groups.js';

/** Merges the replies of all groups into one, with the verdicts in the order of the ask. */
export function merged({ ask: { checks }, groups }: GroupedAsk, replies: readonly Reply[]): Reply {
  const outside = replies.find(({ outsideCalendarBounds }) => outsideCalendarBounds);
  if (outside) return outside;
  const verdicts = new Map<Check, Verdict>();
  const times = new Map<Check, number | undefined>();
  groups.forEach((group, i) => {
    const reply = replies[i] as Reply;
    group.checks.forEach((check, j) => {
      verdicts.set(check, reply.verdicts[j] as Verdict);
      times.set(check, timeOf(reply, j));
    });
  });
  const atMs = Math.max(...replies.map((reply) => reply.atMs));
  const timesMs = checks.map((check) => times.get(check));
  const attempt = replies.find((reply) => reply.attempt !== undefined)?.attempt;
  const all = {
    atMs,
    ...(attempt !== undefined && { attempt }),
    ...(replies.some(isRepetition) && { nowMs: Math.max(...replies.map(({ nowMs, atMs }) => nowMs ?? atMs)) }),
    allowed: replies.every(({ allowed }) => allowed),
    verdicts: checks.map((check) => verdicts.get(check) as Verdict),
  };
  return timesMs.every((timeMs) => timeMs === atMs) ? all : { ...all, timesMs };
}

/** Merges the outcomes of all groups. A group that failed counts as allowed. */
export function mergedOutcomes(grouped: GroupedAsk, outcomes: readonly Outcome[]): Reply {
  const replies = outcomes.map((outcome, i) =>
    'reply' in outcome ? outcome.reply : inPlaceOf(grouped.groups[i] as Group, outcome.error),
  );
  return merged(grouped, replies);
}

/** Publishes the failure of a group, and returns the reply in its place. The group has charged nothing that could be given back. */
export function inPlaceOf({ checks }: Group, error: unknown): Reply {
  publishStoreError(checks, error);
  return { atMs: 0, allowed: true, verdicts: checks.map(allowedVerdict), timesMs: checks.map(() => undefined) };
}

/** Returns when the check at this index was charged; undefined if it was not. */
export function timeOf({ atMs, timesMs }: Reply, index: number): number | undefined {
  return timesMs ? timesMs[index] : atMs;
}
