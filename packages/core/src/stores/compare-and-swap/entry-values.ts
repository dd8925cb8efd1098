import type { Kernel } from '../../algorithms/kernel.js';
import { type KeyState, newKeyState } from '../../algorithms/key-state.js';
import type { Verdict } from '../../values/decision.js';
import type { MadeChange, OperationRecord } from '../operation-record.js';
import { type LimitAnswer, verdictOf } from '../reply.js';
import type { Check } from '../store.js';

/**
 * Use another number if the form of a value changes. A version that does not know the number changes nothing: see
 * `isKnownState` and `isKnownOperation`.
 */
const FORMAT = 1;

/** The format of states with strikes. States with a block by hand had it before `FORMAT_HELD`. */
const FORMAT_STRUCK = 2;

/** The format of states with a block that was set by hand. */
const FORMAT_HELD = 3;

/** How many numbers the head of a state has, by its format. */
const HEAD_LENGTHS: Readonly<Record<number, number>> = { [FORMAT]: 2, [FORMAT_STRUCK]: 4, [FORMAT_HELD]: 5 };

/** Whether this version knows the form of a state. */
export function isKnownState(text: string): boolean {
  return Object.hasOwn(HEAD_LENGTHS, String(listIn(text)[0]));
}

/** Whether this version knows the form of a remembered operation. */
export function isKnownOperation(text: string): boolean {
  return listIn(text)[0] === FORMAT;
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

/**
 * Writes the state of a key as text: a list in JSON, which keeps numbers exactly. The list begins with the format, the
 * end of the block and the last admission; strikes and the end of a block that was set by hand come next, if there are any, and
 * until when the state matters without that block. The numbers of the kernel's state follow; for slots, ids and ends.
 */
export function encodeState(keyState: KeyState, kernel: Kernel, keptUntilMs: number): string {
  return encodeHead(keyState, valuesOf(keyState.state, kernel), keptUntilMs);
}

function encodeHead(head: Head, values: readonly unknown[], keptUntilMs: number): string {
  const { blockEndsMs, admittedMs, strikes, heldUntilMs } = head;
  if (heldUntilMs !== 0)
    return JSON.stringify([FORMAT_HELD, blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs, ...values]);
  if (strikes !== 0) return JSON.stringify([FORMAT_STRUCK, blockEndsMs, admittedMs, strikes, 0, ...values]);
  return JSON.stringify([FORMAT, blockEndsMs, admittedMs, ...values]);
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

/** A state without its kernel. */
interface Parts {
  readonly head: Head;
  /** Until when it matters without a block by hand, if the text says that. */
  readonly keptUntilMs: number | undefined;
  readonly values: readonly unknown[];
}

/** Returns the parts of a state; undefined if `encodeState` did not write the text. */
function partsOf(text: string): Parts | undefined {
  const [format, ...all] = listIn(text);
  const count = HEAD_LENGTHS[Number(format)] ?? 0;
  const numbers = all.slice(0, count).filter(isNumber);
  if (count === 0 || numbers.length < count) return undefined;
  const { blockEndsMs: none, admittedMs: never } = NO_HEAD;
  const [blockEndsMs = none, admittedMs = never, strikes = 0, heldUntilMs = 0, keptUntilMs] = numbers;
  return { head: { blockEndsMs, admittedMs, strikes, heldUntilMs }, keptUntilMs, values: all.slice(count) };
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
  return encodeHead({ ...NO_HEAD, heldUntilMs }, [], 0);
}

/** The text of a state with another head, and until when its kernel's part of it matters; 0 if there is none. */
export interface Rehead {
  readonly text: string;
  readonly keptUntilMs: number;
}

/**
 * Returns a state with another head.
 *
 * @param endsMs - until when the entry is kept, for a text that does not say how long the state matters
 */
export function withHead(text: string | undefined, head: Head, endsMs: number): Rehead {
  const parts = text === undefined ? undefined : partsOf(text);
  const values = parts?.values ?? [];
  const keptUntilMs = values.length === 0 ? 0 : (parts?.keptUntilMs ?? endsMs);
  return { text: encodeHead(head, values, keptUntilMs), keptUntilMs };
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
