// Why it is so: docs/why/blocks.md

import { FOREVER_MS } from '../../algorithms/arithmetic/block.js';
import type { KeyState } from '../../algorithms/key-state.js';
import { stopwatchMs } from '../../values/clock.js';
import { hash } from '../../values/key.js';
import {
  type BegunBlock,
  type BlockOrder,
  compareBlocks,
  fullError,
  heldUntilOf,
  type ListedBlock,
  MOST_BLOCKS,
  untilOf,
} from '../blocks.js';
import type { Target } from '../store.js';

/** If the list is full, this many entries of limits are left out together, so that few insertions have to sort it. */
const LEFT_OUT_TOGETHER = MOST_BLOCKS / 10;

/** A clock that is wrong for a moment is right again long before this. */
const LEAST_KEPT_MS = 600_000;

/** If very many blocks end at the same time, their removal is spread over later ones. */
const LOOKS_PER_BLOCK = 16;

/** A block that was set by hand. */
interface Hold {
  readonly hash: string;
  /** When it ends, by the names of the limits that it covers. */
  readonly ends: Map<string, number>;
  /** The latest of these ends. */
  untilMs: number;
  /** When it can be dropped, by a clock that is never wrong. */
  freeAtMs: number;
  reason: string | undefined;
  text: string | undefined;
}

/**
 * The blocks of one policy: those that were set by hand, and the list of those that its limits have set. Neither is in the
 * key table, so that no key which is evicted takes a block along.
 */
export class PolicyBlocks {
  readonly #policy: string;
  readonly #holds = new Map<string, Hold>();
  /** The keys that were blocked by hand: none in most policies, and then there is nothing to ask. */
  readonly held: ReadonlyMap<string, Hold> = this.#holds;
  /** By the hash of the key. */
  readonly #begun = new Map<string, BegunBlock>();

  constructor(policy: string) {
    this.#policy = policy;
  }

  /** Returns until when a key is blocked by hand under a limit; past or 0 if it is not. */
  heldUntilMs(name: string, key: string, nowMs: number): number {
    const hold = this.#holds.get(key);
    if (hold === undefined) return 0;
    if (nowMs >= hold.untilMs && isOver(hold, nowMs)) this.#holds.delete(key);
    return hold.ends.get(name) ?? 0;
  }

  /**
   * Blocks a key.
   *
   * @throws SluiceError `SLUICE_FULL`
   */
  hold({ targets, forMs, reason, text }: BlockOrder, nowMs: number): void {
    const { key } = targets[0] as Target;
    this.#dropOver(nowMs, LOOKS_PER_BLOCK);
    const known = this.#holds.get(key);
    if (!known) this.#makeRoom(nowMs);
    const untilMs = heldUntilOf(forMs, nowMs);
    const ends = known?.ends ?? new Map<string, number>();
    for (const { name } of targets) ends.set(name, Math.max(ends.get(name) ?? 0, untilMs));
    if (known && known.untilMs >= untilMs) return;
    const freeAtMs = forMs === 'forever' ? FOREVER_MS : stopwatchMs() + Math.max(forMs, LEAST_KEPT_MS);
    this.#holds.set(key, { hash: hash(key), ends, untilMs, freeAtMs, reason, text });
    this.#leaveOut(0);
  }

  /** Lifts the block of a key under one limit. Returns whether it was blocked by hand. */
  lift({ name, key }: Target, nowMs: number): boolean {
    if (this.#begun.size > 0) this.#begun.delete(hash(key));
    const hold = this.#holds.get(key);
    const untilMs = hold?.ends.get(name) ?? 0;
    hold?.ends.delete(name);
    if (hold?.ends.size === 0) this.#holds.delete(key);
    return nowMs < untilMs;
  }

  /** Adds a block of a limit to the list, by the hash of its key. */
  begun(hashed: string, untilMs: number, strikes: number): void {
    if (!this.#begun.has(hashed)) this.#leaveOut(1);
    this.#begun.set(hashed, { policy: this.#policy, hash: hashed, untilMs, strikes });
  }

  /** Returns the block of a key that was set by hand, with its reason. */
  find({ name, key }: Target): Pick<KeyState, 'heldUntilMs'> & { readonly reason: string | undefined } {
    const hold = this.#holds.get(key);
    return { heldUntilMs: hold?.ends.get(name) ?? 0, reason: hold?.reason };
  }

  /** The blocks that have not ended, in any order. */
  *list(nowMs: number): Generator<ListedBlock> {
    for (const { hash, untilMs, reason, text } of this.#holds.values()) {
      if (nowMs >= untilMs) continue;
      const own = { ...(reason !== undefined && { reason }), ...(text !== undefined && { text }) };
      yield { hash, untilMs: untilOf(untilMs), by: 'admin', strikes: 0, ...own };
    }
    for (const { hash, untilMs, strikes } of this.#begun.values()) {
      if (nowMs < untilMs) yield { hash, untilMs, by: 'limit', strikes };
    }
  }

  #makeRoom(nowMs: number): void {
    if (this.#holds.size < MOST_BLOCKS) return;
    for (const [key, { untilMs }] of this.#holds) if (nowMs >= untilMs) this.#holds.delete(key);
    if (this.#holds.size >= MOST_BLOCKS) throw fullError(this.#policy);
  }

  /** Drops some of the blocks that are over, the oldest first. */
  #dropOver(nowMs: number, looks: number): void {
    let left = looks;
    for (const [key, hold] of this.#holds) {
      if (left === 0) return;
      left -= 1;
      if (nowMs >= hold.untilMs && isOver(hold, nowMs)) this.#holds.delete(key);
    }
  }

  /** Leaves out entries of limits, those that end first, if there is no room for this many more. */
  #leaveOut(more: number): void {
    const most = MOST_BLOCKS - this.#holds.size;
    if (this.#begun.size + more <= most) return;
    const ordered = [...this.#begun.values()].map((entry) => ({ ...entry, by: 'limit' as const })).sort(compareBlocks);
    const kept = Math.max(0, most - LEFT_OUT_TOGETHER);
    for (const { hash } of ordered.slice(0, ordered.length - kept)) this.#begun.delete(hash);
  }
}

/** The store's clock may be one that was passed, and wrong for a moment. A block ends for good only if both clocks agree. */
function isOver({ untilMs, freeAtMs }: Hold, nowMs: number): boolean {
  return nowMs >= untilMs && stopwatchMs() >= freeAtMs;
}
