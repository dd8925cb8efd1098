import { FOREVER_MS } from '@sluice/core/src/algorithms/arithmetic/block';
import type { Kernel } from '@sluice/core/src/algorithms/kernel';
import { type KeyState, newKeyState } from '@sluice/core/src/algorithms/key-state';
import type { LimitState } from '@sluice/core/src/algorithms/limit-state';
import { unknownFormError } from '@sluice/core/src/stores/store-failure';
import { LONGEST_MS } from '@sluice/core/src/values/duration';
import { nextOperationId } from '@sluice/core/src/values/operation-id';
import type { Entry, NextEntry, Swap } from './backend.js';
import { decodeState, encodeHeldAlone, encodeState, type Head, headIn, withHead } from './state-values.js';

/**
 * How long a state is kept if neither its limit is known nor how long it is kept now: longer than the units of any usual limit
 * count. The next decision corrects it.
 */
const UNKNOWN_MS = 400 * 86_400_000;

/** One key, with the entry that was read and the entry that will be written. */
export class OpenEntry {
  readonly #key: string;
  readonly #was: Entry | undefined;
  /** The current state; undefined if there is none. It is decoded when it is first needed. */
  #state: KeyState | undefined;
  #isDecoded = false;
  #isChanged = false;
  #encode: (() => string) | undefined;
  #forMs = 0;
  /** The version that this attempt writes. */
  #nextVersion: string | undefined;

  constructor(key: string, was: Entry | undefined) {
    this.#key = key;
    this.#was = was;
  }

  /** The version that was read. */
  get version(): string | undefined {
    return this.#was?.version;
  }

  /** Whether an earlier attempt has written this version. */
  isWrittenBy(earlier: OpenEntry): boolean {
    return this.version !== undefined && this.version === earlier.#nextVersion;
  }

  /** The current text: the one that was read, or the one that an earlier operation of this attempt has set. */
  get text(): string | undefined {
    if (!this.#isChanged) return this.#was?.value;
    return this.#forMs > 0 ? this.#encode?.() : undefined;
  }

  /**
   * Checks that this version knows the form of what was read, so that it may be read and written.
   *
   * @throws SluiceError `SLUICE_STORE`
   */
  check(isKnown: (text: string) => boolean, nowMs: number): void {
    if (this.#was && !isKnown(this.#was.value)) throw unknownFormError(nowMs);
  }

  /** What the state has whatever its kernel; undefined if there is no state. */
  get head(): Head | undefined {
    const { text } = this;
    return text === undefined ? undefined : headIn(text);
  }

  /**
   * Changes that part of the state, which is kept as long as before, and as long as the block lasts. If nothing is left, the entry
   * is deleted.
   *
   * @param isPassedClock - such a clock may be wrong at this moment, so no state is dropped by it
   */
  setHead(head: Head, nowMs: number, isPassedClock: boolean): void {
    const endsMs = nowMs + Math.min(this.#was?.forMs ?? UNKNOWN_MS, UNKNOWN_MS);
    const { text, keptUntilMs } = withHead(this.text, head, endsMs);
    const heldMs = head.heldUntilMs === FOREVER_MS ? LONGEST_MS : head.heldUntilMs - nowMs;
    const leastMs = isPassedClock && keptUntilMs > 0 ? 1 : 0;
    this.#isDecoded = false;
    this.#set(() => text, Math.max(leastMs, heldMs, keptUntilMs - nowMs));
  }

  /** Returns the state that was read, or the state after an earlier operation of this attempt. */
  state(kernel: Kernel, fresh: () => object): KeyState | undefined {
    if (!this.#isDecoded) {
      const { text } = this;
      this.#state = text === undefined ? undefined : decodeState(text, kernel, fresh);
    }
    this.#isDecoded = true;
    return this.#state;
  }

  /** Stores the new state, for as long as it matters. */
  setState(limitState: LimitState, kernel: Kernel, nowMs: number): void {
    const state = newKeyState({});
    limitState.writeTo(state);
    // A passed clock may be wrong at this moment, so a block is not dropped because it seems to be over.
    if (limitState.keptMs === 0 && state.heldUntilMs !== 0) {
      this.#isDecoded = false;
      this.#set(() => encodeHeldAlone(state), Math.max(1, limitState.heldMs));
      return;
    }
    this.#isDecoded = true;
    this.#state = limitState.keptMs > 0 ? state : undefined;
    const { keptMs, heldMs } = limitState;
    this.#set(() => encodeState(state, kernel, nowMs + keptMs), Math.max(keptMs, heldMs));
  }

  setText(text: string, forMs: number): void {
    this.#set(() => text, forMs);
  }

  #set(encode: () => string, forMs: number): void {
    this.#isChanged = true;
    this.#encode = encode;
    this.#forMs = forMs;
  }

  /** Returns the change to write; undefined if nothing changed, or if the key was absent and stays absent. */
  swap(leastMs: number): Swap | undefined {
    const was = this.#was?.version;
    const isKept = this.#forMs > 0;
    if (!this.#isChanged || (was === undefined && !isKept)) return undefined;
    return { key: this.#key, was, next: isKept ? this.#next(leastMs) : undefined };
  }

  #next(leastMs: number): NextEntry {
    this.#nextVersion = nextOperationId();
    return {
      version: this.#nextVersion,
      value: this.#encode?.() ?? '',
      forMs: Math.max(this.#forMs, leastMs),
    };
  }
}

/** The entries that one attempt has read, and the time of the read. */
export class OpenEntries {
  readonly nowMs: number;
  readonly #entries = new Map<string, OpenEntry>();

  constructor(nowMs: number, keys: readonly string[], entries: readonly (Entry | undefined)[]) {
    this.nowMs = nowMs;
    for (const [i, key] of keys.entries()) this.#entries.set(key, new OpenEntry(key, entries[i]));
  }

  /** Returns the entry of a key that was read. */
  of(key: string): OpenEntry {
    return this.#entries.get(key) as OpenEntry;
  }

  /** Whether one of these keys has changed since an earlier attempt. */
  differsFrom(earlier: OpenEntries, keys: readonly string[]): boolean {
    return keys.some((key) => this.of(key).version !== earlier.of(key).version);
  }

  /**
   * Whether an earlier attempt about the same keys was written, although the backend said that it was not. A backend says so if a
   * client or a network has sent the write twice.
   */
  areWrittenBy(earlier: OpenEntries): boolean {
    return [...this.#entries].some(([key, entry]) => entry.isWrittenBy(earlier.of(key)));
  }

  /**
   * Returns the changes to write. A key that was only read is not compared, which is safe. An allowed request with a cost
   * above 0 spends on every limit. A decision that leaves a limit unchanged was right at the moment of the read.
   *
   * @param leastMs - the least time for which an entry is kept
   */
  swaps(leastMs: number): Swap[] {
    return [...this.#entries.values()].map((entry) => entry.swap(leastMs)).filter((swap) => swap !== undefined);
  }
}
