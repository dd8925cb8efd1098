import type { Kernel } from '../../algorithms/kernel.js';
import type { KeyState, LimitState } from '../../algorithms/limit-state.js';
import { nextOperationId } from '../../values/operation-id.js';
import type { Entry, NextEntry, Swap } from './backend.js';
import { decodeState, encodeState } from './entry-values.js';

/** One key, as it was read and as it is to be written. */
export class OpenEntry {
  readonly #key: string;
  readonly #was: Entry | undefined;
  /** What is kept now; undefined: nothing. Decoded when it is asked for. */
  #state: KeyState | undefined;
  #isDecoded = false;
  #isChanged = false;
  #encode: (() => string) | undefined;
  #forMs = 0;

  constructor(key: string, was: Entry | undefined) {
    this.#key = key;
    this.#was = was;
  }

  /** The version that was read. */
  get version(): string | undefined {
    return this.#was?.version;
  }

  /** The text that was read. */
  get text(): string | undefined {
    return this.#was?.value;
  }

  /** The state that was read, or what an earlier operation of this attempt made of it. */
  state(kernel: Kernel, fresh: () => object): KeyState | undefined {
    if (!this.#isDecoded && this.#was) this.#state = decodeState(this.#was.value, kernel, fresh);
    this.#isDecoded = true;
    return this.#state;
  }

  /** Keeps how a limit stands for as long as it matters. */
  setState(limitState: LimitState, kernel: Kernel): void {
    const state: KeyState = { state: {}, blockEndsMs: 0, admittedMs: -1 };
    limitState.writeTo(state);
    this.#isDecoded = true;
    this.#state = limitState.keptMs > 0 ? state : undefined;
    this.#set(() => encodeState(state, kernel), limitState.keptMs);
  }

  setText(text: string, forMs: number): void {
    this.#set(() => text, forMs);
  }

  #set(encode: () => string, forMs: number): void {
    this.#isChanged = true;
    this.#encode = encode;
    this.#forMs = forMs;
  }

  /** What has to be written; undefined where nothing was changed, or where there was nothing and is nothing to keep. */
  swap(leastMs: number): Swap | undefined {
    const was = this.#was?.version;
    const isKept = this.#forMs > 0;
    if (!this.#isChanged || (was === undefined && !isKept)) return undefined;
    return { key: this.#key, was, next: isKept ? this.#next(leastMs) : undefined };
  }

  #next(leastMs: number): NextEntry {
    return {
      version: nextOperationId(),
      value: this.#encode?.() ?? '',
      forMs: Math.max(this.#forMs, leastMs),
    };
  }
}

/** The entries that one attempt has read, at the time of its answer. */
export class OpenEntries {
  readonly nowMs: number;
  readonly #entries = new Map<string, OpenEntry>();

  constructor(nowMs: number, keys: readonly string[], entries: readonly (Entry | undefined)[]) {
    this.nowMs = nowMs;
    for (const [i, key] of keys.entries()) this.#entries.set(key, new OpenEntry(key, entries[i]));
  }

  /** The entry of a key that was read. */
  of(key: string): OpenEntry {
    return this.#entries.get(key) as OpenEntry;
  }

  /** Whether something has changed under these keys since an earlier attempt. */
  differsFrom(earlier: OpenEntries, keys: readonly string[]): boolean {
    return keys.some((key) => this.of(key).version !== earlier.of(key).version);
  }

  /**
   * What has to be written. A key that was only read is not compared: an ask spends on every limit that admits a cost
   * above 0, and an answer that rests on a limit which it leaves as it was is right at the moment of the read.
   *
   * @param leastMs - the least time for which an entry is kept
   */
  swaps(leastMs: number): Swap[] {
    return [...this.#entries.values()].map((entry) => entry.swap(leastMs)).filter((swap) => swap !== undefined);
  }
}
