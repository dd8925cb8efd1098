import { enforcedAs, type MadeChange, type OperationRecord } from '@sluice/core/src/stores/operation-record';
import { verdictOf } from '@sluice/core/src/stores/reply';
import type { LimitCheck } from '@sluice/core/src/stores/store';
import type { Verdict } from '@sluice/core/src/values/decision';
import { isNumber, listIn } from './json-list.js';

/**
 * Use another number if the form of a record or of a change changes. A version that does not know the number changes nothing: see
 * `isKnownOperation`.
 */
const FORMAT = 1;

/** Whether this version knows the form of a remembered operation. */
export function isKnownOperation(text: string): boolean {
  return listIn(text)[0] === FORMAT;
}

/**
 * Writes the record of an operation, which is kept until `untilMs`, as text. It leaves the limits out, because a repeated request
 * has them.
 */
export function encodeRecord({ response, attempt }: OperationRecord, untilMs: number): string {
  const { atMs, allowed, taken, verdicts } = response;
  const rows = verdicts.map(rowOf);
  const own = attempt === undefined ? [] : [attempt];
  return JSON.stringify([FORMAT, untilMs, atMs, Number(allowed), taken ?? null, rows, ...own]);
}

function rowOf(verdict: Verdict): Row {
  const { allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs, overQuota = 0, blocked, shadow } = verdict;
  const row = [Number(allowed), remaining, used, resetAfterMs, retryAfterMs, delayMs] as const;
  if (shadow) return [...row, overQuota, Number(blocked === true), 1];
  if (blocked) return [...row, overQuota, 1];
  return overQuota > 0 ? [...row, overQuota] : row;
}

/**
 * Reads a record. Returns undefined if its time is over, or if `encodeRecord` did not write it for this number of checks.
 */
export function decodeRecord(text: string, checks: readonly LimitCheck[], nowMs: number): OperationRecord | undefined {
  const [format, untilMs, atMs, allowed, taken, rows, last] = listIn(text);
  if (format !== FORMAT || !isNumber(untilMs) || nowMs >= untilMs || !isNumber(atMs)) return undefined;
  if (!Array.isArray(rows) || rows.length !== checks.length) return undefined;
  const verdicts = checks.map((check, i) => verdictIn(rows[i], check, allowed === 1));
  const attempt = typeof last === 'string' ? last : undefined;
  const response = {
    atMs,
    allowed: allowed === 1,
    verdicts,
    ...(isNumber(taken) && { taken }),
    ...(attempt !== undefined && { attempt }),
  };
  return { response, attempt };
}

type Row = readonly [
  allowed: number,
  remaining: number,
  used: number,
  reset: Wait,
  retry: Wait,
  delayMs: number,
  overQuota?: number,
  blocked?: number,
  shadow?: number,
];
type Wait = Verdict['resetAfterMs'];

/** Returns a verdict as it was when the response was made. An earlier version did not write which checks were not enforced. */
function verdictIn(row: Row, check: LimitCheck, isReplyAllowed: boolean): Verdict {
  const [allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs, overQuota = 0, blocked = 0, shadow = 0] = row;
  const answer = { allowed: allowed === 1, remaining, used, resetAfterMs, retryAfterMs, delayMs, overQuota };
  const isShadow = shadow === 1 || (isReplyAllowed && allowed !== 1);
  return verdictOf(enforcedAs(check, isShadow), blocked === 1 ? { ...answer, blocked: true } : answer);
}

/** Writes what change was made, and until when this is remembered, as text. */
export function encodeMade(made: MadeChange, untilMs: number): string {
  return JSON.stringify(made === 'repeated' ? [FORMAT, untilMs] : [FORMAT, untilMs, made]);
}

/** Returns what change was made; undefined if none was, or if it is not remembered any more. */
export function madeIn(text: string, nowMs: number): MadeChange | undefined {
  const [format, untilMs, made] = listIn(text);
  if (format !== FORMAT || !isNumber(untilMs) || nowMs >= untilMs) return undefined;
  return made === 'given-back' ? made : 'repeated';
}
