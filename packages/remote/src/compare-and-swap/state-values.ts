import type { Kernel } from '@sluice/core/src/algorithms/kernel';
import { type KeyState, newKeyState } from '@sluice/core/src/algorithms/key-state';
import { isNumber, listIn } from './json-list.js';

/** Use another number if the form of a state changes. A version that does not know the number changes nothing: see `isKnownState`. */
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
interface Rehead {
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
