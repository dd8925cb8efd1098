import type { Advice, AdviceUnit } from './advice.js';

/** What was read about one limit, before anybody asked whether it makes sense. */
export type AdviceParts = {
  readonly [Part in Exclude<keyof Advice, 'unit'>]?: Advice[Part] | undefined;
} & { readonly unit?: string | undefined };

/** The units by their names in `qu` of draft 11, and those of servers for language models. */
const UNITS: ReadonlySet<string> = new Set<AdviceUnit>([
  'requests',
  'tokens',
  'input-tokens',
  'output-tokens',
  'content-bytes',
  'concurrent-requests',
]);

/** Printable ASCII of a reasonable length. Other names are not passed on to stores and logs. */
const NAME = /^[\x20-\x7e]{1,128}$/;

/**
 * Returns the advice without the numbers that make no sense. Undefined if no number is left, or if the unit is one that
 * cannot be compared with any of ours.
 */
export function adviceOf(parts: AdviceParts): Advice | undefined {
  const { unit = 'requests' } = parts;
  if (!isUnit(unit)) return undefined;
  const limit = atLeast(0, parts.limit);
  const windowMs = atLeast(1, parts.windowMs);
  const remaining = atLeast(0, parts.remaining);
  const resetAfterMs = atLeast(0, parts.resetAfterMs);
  if ((limit ?? windowMs ?? remaining ?? resetAfterMs) === undefined) return undefined;
  // One assignment for each: this runs for every response, and spreading objects takes many times as long.
  const advice: { -readonly [Part in keyof Advice]: Advice[Part] } = { unit };
  if (isName(parts.policy)) advice.policy = parts.policy;
  if (limit !== undefined) advice.limit = limit;
  if (windowMs !== undefined) advice.windowMs = windowMs;
  if (remaining !== undefined) advice.remaining = remaining;
  if (resetAfterMs !== undefined) advice.resetAfterMs = resetAfterMs;
  if (isName(parts.partition)) advice.partition = parts.partition;
  return advice;
}

/** Returns the first parts, and what they lack from the others. */
export function filledUp(first: AdviceParts, others: AdviceParts): AdviceParts {
  return {
    policy: first.policy ?? others.policy,
    unit: first.unit ?? others.unit,
    limit: first.limit ?? others.limit,
    windowMs: first.windowMs ?? others.windowMs,
    remaining: first.remaining ?? others.remaining,
    resetAfterMs: first.resetAfterMs ?? others.resetAfterMs,
    partition: first.partition ?? others.partition,
  };
}

function isUnit(unit: string): unit is AdviceUnit {
  return UNITS.has(unit);
}

function atLeast(least: number, number: number | undefined): number | undefined {
  return number !== undefined && Number.isFinite(number) && number >= least ? Math.floor(number) : undefined;
}

function isName(text: string | undefined): text is string {
  return text !== undefined && NAME.test(text);
}
