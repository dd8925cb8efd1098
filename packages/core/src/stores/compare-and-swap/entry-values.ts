import type { Kernel } from '../../algorithms/kernel.js';
import { type KeyState, newKeyState } from '../../algorithms/key-state.js';
import type { Verdict } from '../../values/decision.js';
import type { MadeChange, OperationRecord } from '../operation-record.js';
import { type LimitAnswer, verdictOf } from '../reply.js';
import type { Check } from '../store.js';

/** Raise it if the form of a value changes. A value of an older form is read as absent. */
const FORMAT = 1;

/** The format of states with strikes or a block that was set by hand. Other states keep the format that they had. */
const FORMAT_HELD = 2;

const isNumber = (value: unknown): value is number => typeof value === 'number';

/**
 * Writes the state of a key as text: a list in JSON, which keeps numbers exactly. The list begins with the format, the
 * end of the block and the last admission; strikes and the end of a block that was set by hand come next, if there are any.
 * The numbers of the kernel's state follow; for slots, ids and ends.
 */
export function encodeState(keyState: KeyState, kernel: Kernel): string {
  return encodeHead(keyState, valuesOf(keyState.state, kernel));
}

function encodeHead({ blockEndsMs, admittedMs, strikes, heldUntilMs }: Head, values: readonly unknown[]): string {
  const isPlain = strikes === 0 && heldUntilMs === 0;
  const head = isPlain
    ? [FORMAT, blockEndsMs, admittedMs]
    : [FORMAT_HELD, blockEndsMs, admittedMs, strikes, heldUntilMs];
  return JSON.stringify([...head, ...values]);
}

/**
 * Reads the state of a key. Returns undefined if `encodeState` did not write the text for this kernel; the key then
 * counts as new.
 */
export function decodeState(text: string, kernel: Kernel, fresh: () => object): KeyState | undefined {
  const parts = partsOf(text);
  if (!parts) return undefined;
  const { head, values } = parts;
  // A key that was blocked before it was ever counted has no state.
  const state = values.length === 0 && head.heldUntilMs !== 0 ? fresh() : stateOf(values, kernel, fresh);
  return state && { ...head, state };
}

/** What all states have, whatever their kernel. */
export type Head = Omit<KeyState, 'state' | 'stamp'>;

/** Returns the head of a state, and its other values; undefined if `encodeState` did not write the text. */
function partsOf(text: string): { head: Head; values: readonly unknown[] } | undefined {
  const [format, ...all] = listIn(text);
  const count = format === FORMAT ? 2 : format === FORMAT_HELD ? 4 : 0;
  const numbers = all.slice(0, count).filter(isNumber);
  if (count === 0 || numbers.length < count) return undefined;
  const { blockEndsMs: none, admittedMs: never } = NO_HEAD;
  const [blockEndsMs = none, admittedMs = never, strikes = 0, heldUntilMs = 0] = numbers;
  return { head: { blockEndsMs, admittedMs, strikes, heldUntilMs }, values: all.slice(count) };
}

/** The head of a key without a state. */
export const NO_HEAD: Head = headOf(newKeyState({}));

function headOf({ blockEndsMs, admittedMs, strikes, heldUntilMs }: Head): Head {
  return { blockEndsMs, admittedMs, strikes, heldUntilMs };
}

/** Returns the head of a state; undefined if `encodeState` did not write the text. */
export function headIn(text: string): Head | undefined {
  return partsOf(text)?.head;
}

/** Writes that a key is blocked by hand, and that nothing else of its state matters. */
export function encodeHeldAlone({ heldUntilMs }: KeyState): string {
  return encodeHead({ ...NO_HEAD, heldUntilMs }, []);
}

/** Returns the text of a state with another head; undefined if nothing is left that matters. */
export function withHead(text: string | undefined, head: Head): string | undefined {
  const values = text === undefined ? [] : (partsOf(text)?.values ?? []);
  return values.length === 0 && head.heldUntilMs === 0 ? undefined : encodeHead(head, values);
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

/**
 * Writes the record of an operation, which is kept until `untilMs`, as text. It leaves the limits out, because a repeated ask
 * has them.
 */
export function encodeRecord({ reply, attempt }: OperationRecord, untilMs: number): string {
  const { atMs, allowed, taken, verdicts } = reply;
  const rows = verdicts.map((verdict) => [
    Number(verdict.allowed),
    verdict.remaining,
    verdict.used,
    verdict.resetAfterMs,
    verdict.retryAfterMs,
    verdict.delayMs,
    ...(verdict.overQuota === undefined && !verdict.blocked ? [] : [verdict.overQuota ?? 0]),
    ...(verdict.blocked ? [1] : []),
  ]);
  const own = attempt === undefined ? [] : [attempt];
  return JSON.stringify([FORMAT, untilMs, atMs, Number(allowed), taken ?? null, rows, ...own]);
}

/**
 * Reads a record. Returns undefined if its time is over, or if `encodeRecord` did not write it for this number of checks.
 */
export function decodeRecord(text: string, checks: readonly Check[], nowMs: number): OperationRecord | undefined {
  const [format, untilMs, atMs, allowed, taken, rows, last] = listIn(text);
  if (format !== FORMAT || !isNumber(untilMs) || nowMs >= untilMs || !isNumber(atMs)) return undefined;
  if (!Array.isArray(rows) || rows.length !== checks.length) return undefined;
  const verdicts = checks.map((check, i) => verdictOf(check, answerIn(rows[i])));
  const attempt = typeof last === 'string' ? last : undefined;
  const reply = {
    atMs,
    allowed: allowed === 1,
    verdicts,
    ...(isNumber(taken) && { taken }),
    ...(attempt !== undefined && { attempt }),
  };
  return { reply, attempt };
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
];
type Wait = Verdict['resetAfterMs'];

function answerIn(row: Row): LimitAnswer {
  const [allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs, overQuota = 0, blocked = 0] = row;
  const answer = { allowed: allowed === 1, remaining, used, resetAfterMs, retryAfterMs, delayMs, overQuota };
  return blocked === 1 ? { ...answer, blocked: true } : answer;
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

function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
