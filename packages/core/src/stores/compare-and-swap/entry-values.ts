import type { Kernel } from '../../algorithms/kernel.js';
import type { KeyState } from '../../algorithms/limit-state.js';
import type { Verdict } from '../../values/decision.js';
import { type LimitAnswer, verdictOf } from '../reply.js';
import type { Check, Reply } from '../store.js';

/** Raised when a value changes its form. An older form is read as if it were absent. */
const FORMAT = 1;

const isNumber = (value: unknown): value is number => typeof value === 'number';

/**
 * The state of a key as text: JSON of one list, which keeps numbers exactly. It begins with the format, the end of the
 * block and the last admission, and goes on with the numbers of the kernel's state (of slots, ids and ends).
 */
export function encodeState({ state, blockEndsMs, admittedMs }: KeyState, kernel: Kernel): string {
  return JSON.stringify([FORMAT, blockEndsMs, admittedMs, ...valuesOf(state, kernel)]);
}

/** Undefined for a text that `encodeState` did not write for this kernel: then the key is as if it were new. */
export function decodeState(text: string, kernel: Kernel, fresh: () => object): KeyState | undefined {
  const [format, blockEndsMs, admittedMs, ...values] = listIn(text);
  if (format !== FORMAT || !isNumber(blockEndsMs) || !isNumber(admittedMs)) return undefined;
  const state = stateOf(values, kernel, fresh);
  return state && { state, blockEndsMs, admittedMs };
}

function valuesOf(state: object, { layout, json }: Kernel): readonly (number | string)[] {
  if (layout === undefined) return json?.encode(state) ?? [];
  const numbers = new Float64Array(layout.length(state));
  layout.write(state, numbers, 0, false);
  return [...numbers];
}

function stateOf(values: readonly unknown[], { layout, json }: Kernel, fresh: () => object): object | undefined {
  if (layout === undefined) return json?.decode(values);
  if (!values.every(isNumber)) return undefined;
  const state = fresh();
  layout.read(state, Float64Array.from(values), 0, values.length);
  return layout.length(state) === values.length ? state : undefined;
}

/** A reply that is remembered, as text: its numbers until when, without the limits, which the same ask names again. */
export function encodeReply({ atMs, allowed, taken, verdicts }: Reply, untilMs: number): string {
  const rows = verdicts.map((verdict) => [
    Number(verdict.allowed),
    verdict.remaining,
    verdict.used,
    verdict.resetAfterMs,
    verdict.retryAfterMs,
    verdict.delayMs,
  ]);
  return JSON.stringify([FORMAT, untilMs, atMs, Number(allowed), taken ?? null, rows]);
}

/** Undefined when its time is over, and for a text that `encodeReply` did not write for as many checks. */
export function decodeReply(text: string, checks: readonly Check[], nowMs: number): Reply | undefined {
  const [format, untilMs, atMs, allowed, taken, rows] = listIn(text);
  if (format !== FORMAT || !isNumber(untilMs) || nowMs >= untilMs || !isNumber(atMs)) return undefined;
  if (!Array.isArray(rows) || rows.length !== checks.length) return undefined;
  const verdicts = checks.map((check, i) => verdictOf(check, answerIn(rows[i])));
  const reply = { atMs, allowed: allowed === 1, verdicts };
  return isNumber(taken) ? { ...reply, taken } : reply;
}

type Row = readonly [allowed: number, remaining: number, used: number, reset: Wait, retry: Wait, delayMs: number];
type Wait = Verdict['resetAfterMs'];

function answerIn([allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs]: Row): LimitAnswer {
  return { allowed: allowed === 1, remaining, used, resetAfterMs, retryAfterMs, delayMs };
}

/** That a change was made, as text, until when this is remembered. */
export function encodeMade(untilMs: number): string {
  return JSON.stringify([FORMAT, untilMs]);
}

export function isMade(text: string, nowMs: number): boolean {
  const [format, untilMs] = listIn(text);
  return format === FORMAT && isNumber(untilMs) && nowMs < untilMs;
}

function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
