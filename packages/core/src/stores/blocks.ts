// Why it is so: docs/why/blocks.md

import { FOREVER_MS } from '../algorithms/arithmetic/block.js';
import type { KeyState } from '../algorithms/key-state.js';
import { SluiceError } from '../values/error.js';
import { hash } from '../values/key.js';
import type { Answer, Target } from './target.js';

/** The most blocks that the list of one policy holds. */
export const MOST_BLOCKS = 10_000;

/** A block to set by hand. */
export interface BlockOrder {
  /** One key of one policy, under the name of each limit: at least one target. */
  readonly targets: readonly Target[];
  /** How long the block lasts from now on. */
  readonly forMs: number | 'forever';
  /** Why, for the list. */
  readonly reason?: string;
  /** The key as people write it. Absent: the list shows only its hash. */
  readonly text?: string;
}

/** A block that refuses a key now. */
export interface FoundBlock {
  /** The store's time at which it ends. */
  readonly untilMs: number | 'forever';
  /** Who set it: `blockDuration` of a limit, or somebody by hand. */
  readonly by: 'limit' | 'admin';
  /** How many blocks `blockDuration` has set in a row: 1 if they do not grow, 0 for a block that was set by hand. */
  readonly strikes: number;
  /** Why it was set by hand. */
  readonly reason?: string;
}

/** An entry of the list of blocks. */
export interface ListedBlock extends FoundBlock {
  /** The hash of the encoded key, as in events. */
  readonly hash: string;
  /** The key as people write it, if its block was set with it. */
  readonly text?: string;
}

/** The place of an entry in the list. Entries are in the order of their ends, then of their hashes, then of `by`. */
export type BlockPlace = Pick<ListedBlock, 'untilMs' | 'hash' | 'by'>;

/** Which part of the list to return. */
export interface BlockRange {
  /** Only entries behind this place. The entry itself may be gone. */
  readonly after?: BlockPlace;
  /** The most entries to return: at least 1. */
  readonly limit: number;
}

/**
 * The blocks of a store: those that are set by hand, and the list of all.
 *
 * A block that is set by hand refuses every check of its targets, under any algorithm, from the store's next decision on. It
 * is independent of the states of limits: no correction of a clock cuts it, and nothing evicts it.
 *
 * The list has at most `MOST_BLOCKS` entries for each policy. If there are more, those of limits that end first are left out.
 */
export interface Blocks<Async extends boolean = boolean> {
  /**
   * Blocks a key. A block that ends later stays as it is.
   *
   * @throws SluiceError `SLUICE_FULL` if the list has no room for another block that was set by hand; nothing is recorded then
   */
  block(order: BlockOrder): Answer<void, Async>;
  /** Lifts all blocks of a key, and forgets its strikes. Spent units stay. Returns whether the key was blocked. */
  unblock(targets: readonly Target[]): Answer<boolean, Async>;
  /** Returns the block of a key that ends last; undefined if it is not blocked. */
  find(targets: readonly Target[]): Answer<FoundBlock | undefined, Async>;
  /** Returns a part of a policy's list, in order. */
  list(policy: string, range: BlockRange): Answer<readonly ListedBlock[], Async>;
}

/** A block that a limit has set with a decision. */
export interface BegunBlock {
  /** The name of the policy. */
  readonly policy: string;
  /** The hash of the encoded key. */
  readonly hash: string;
  /** When the block ends, in Unix milliseconds, by the clock of the store. */
  readonly untilMs: number;
  /** How many blocks of the key came one after another, this one included. */
  readonly strikes: number;
}

/** Returns the hash under which the list knows a key. */
export function blockedHash({ key }: Pick<Target, 'key'>): string {
  return hash(key);
}

/** Compares places in the list. */
export function compareBlocks(one: BlockPlace, other: BlockPlace): number {
  const [a, b] = [endOfBlock(one), endOfBlock(other)];
  if (a !== b) return a - b;
  if (one.hash !== other.hash) return one.hash < other.hash ? -1 : 1;
  if (one.by !== other.by) return one.by < other.by ? -1 : 1;
  return 0;
}

/** Returns the part of a list that a range asks for, from entries in any order. */
export function blocksIn(entries: Iterable<ListedBlock>, { after, limit }: BlockRange): readonly ListedBlock[] {
  const behind = after === undefined ? [...entries] : [...entries].filter((entry) => compareBlocks(entry, after) > 0);
  return behind.sort(compareBlocks).slice(0, limit);
}

/** Returns an end as a number, to compare it. */
export function endOfBlock({ untilMs }: Pick<FoundBlock, 'untilMs'>): number {
  return untilMs === 'forever' ? FOREVER_MS : untilMs;
}

/** Returns an end as people read it. */
export function untilOf(untilMs: number): number | 'forever' {
  return untilMs >= FOREVER_MS ? 'forever' : untilMs;
}

/** Returns the end of a block that begins now. */
export function heldUntilOf(forMs: BlockOrder['forMs'], nowMs: number): number {
  return forMs === 'forever' ? FOREVER_MS : nowMs + forMs;
}

/**
 * Returns the block of a key, from the heads of its states.
 *
 * @param reason - why it was set by hand, if it was
 */
export function blockIn(
  heads: Iterable<Pick<KeyState, 'blockEndsMs' | 'strikes' | 'heldUntilMs'>>,
  nowMs: number,
  reason?: string,
): FoundBlock | undefined {
  let [ownMs, strikes, heldMs] = [0, 0, 0];
  for (const head of heads) {
    if (head.blockEndsMs > ownMs) [ownMs, strikes] = [head.blockEndsMs, Math.max(1, head.strikes)];
    heldMs = Math.max(heldMs, head.heldUntilMs);
  }
  if (Math.max(ownMs, heldMs) <= nowMs) return undefined;
  if (ownMs > heldMs) return { untilMs: ownMs, by: 'limit', strikes };
  return { untilMs: untilOf(heldMs), by: 'admin', strikes: 0, ...(reason !== undefined && { reason }) };
}

/** The error of a block for which the list has no room. */
export function fullError(policy: string): SluiceError {
  return new SluiceError(
    'SLUICE_FULL',
    `the policy ${JSON.stringify(policy)} has ${MOST_BLOCKS} blocks set by hand: lift some with unblock(), or deny addresses with denyList`,
  );
}
