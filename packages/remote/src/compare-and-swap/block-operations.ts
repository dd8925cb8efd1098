import {
  type BegunBlock,
  type BlockOrder,
  blockedHash,
  blockIn,
  endOfBlock,
  type FoundBlock,
  heldUntilOf,
  type ListedBlock,
  MOST_BLOCKS,
  untilOf,
} from '@sluice/core/src/stores/blocks';
import type { Target } from '@sluice/core/src/stores/store';
import { countKey, partKey, partKeys, readCount, readPart, writeCount, writePart } from './block-list.js';
import { stateKeys } from './entry-keys.js';
import type { OpenEntries, OpenEntry } from './open-entries.js';
import type { Operation } from './operations.js';
import { type Head, isKnownState, NO_HEAD } from './state-values.js';

const NO_DEADLINE = { notAfterMs: undefined };

/**
 * Sets a block by hand. Returns false, and changes nothing, if the list has no room.
 *
 * @param isPassedClock - such a clock may be wrong at this moment, so nothing is dropped by it
 */
export function blockOperation(order: BlockOrder, isPassedClock: boolean): Operation<boolean> {
  const { targets, forMs } = order;
  const { policy } = targets[0] as Target;
  const hash = blockedHash(targets[0] as Target);
  const [part, count] = [partKey(policy, hash), countKey(policy)];
  const states = targets.flatMap(stateKeys);
  return {
    ...NO_DEADLINE,
    keys: [...states, part, count],
    run(entries) {
      const { nowMs } = entries;
      const untilMs = heldUntilOf(forMs, nowMs);
      const opened = openStates(entries, states);
      const listed = readPart(entries.of(part), nowMs);
      const isOver = (block: ListedBlock) => !isPassedClock && endOfBlock(block) <= nowMs;
      const others = listed.filter((block) => !isOver(block) && !(block.by === 'admin' && block.hash === hash));
      const known = listed.find((block) => block.by === 'admin' && block.hash === hash);
      const counted = readCount(entries.of(count), nowMs);
      const held = counted.held + ofAdmins(others) + 1 - ofAdmins(listed);
      if (!known && held > MOST_BLOCKS) return false;
      for (const entry of opened) {
        const head = entry.head ?? NO_HEAD;
        entry.setHead({ ...head, heldUntilMs: Math.max(head.heldUntilMs, untilMs) }, nowMs, isPassedClock);
      }
      if (known && endOfBlock(known) >= untilMs) return true;
      writePart(entries.of(part), [...others, adminBlock(hash, untilMs, order)], nowMs);
      writeCount(entries.of(count), { held: Math.max(1, held), lastMs: Math.max(counted.lastMs, untilMs) }, nowMs);
      return true;
    },
  };
}

/** What the list says of a block that is set by hand. */
function adminBlock(hash: string, untilMs: number, { reason, text }: BlockOrder): ListedBlock {
  const note = { ...(reason !== undefined && { reason }), ...(text !== undefined && { text }) };
  return { hash, untilMs: untilOf(untilMs), by: 'admin', strikes: 0, ...note };
}

/** Returns the states of a key, after all of them were checked. */
function openStates(entries: OpenEntries, keys: readonly string[]): readonly OpenEntry[] {
  const opened = keys.map((key) => entries.of(key));
  for (const entry of opened) entry.check(isKnownState, entries.nowMs);
  return opened;
}

/** Lifts all blocks of a key, and forgets its strikes. Returns whether it was blocked. */
export function unblockOperation(targets: readonly Target[], isPassedClock: boolean): Operation<boolean> {
  const states = targets.flatMap(stateKeys);
  const unlist = unlistOperation(targets[0] as Target);
  return {
    ...NO_DEADLINE,
    keys: [...states, ...unlist.keys],
    run(entries) {
      const { nowMs } = entries;
      let isLifted = false;
      for (const entry of openStates(entries, states)) {
        const { head } = entry;
        if (!head || (head.blockEndsMs === 0 && head.strikes === 0 && head.heldUntilMs === 0)) continue;
        isLifted ||= head.blockEndsMs > nowMs || head.heldUntilMs > nowMs;
        entry.setHead({ ...NO_HEAD, admittedMs: head.admittedMs }, nowMs, isPassedClock);
      }
      unlist.run(entries);
      return isLifted;
    },
  };
}

/** Removes a key from the list. */
export function unlistOperation(target: Target): Operation<void> {
  const { policy } = target;
  const hash = blockedHash(target);
  const [part, count] = [partKey(policy, hash), countKey(policy)];
  return {
    ...NO_DEADLINE,
    keys: [part, count],
    run(entries) {
      const { nowMs } = entries;
      const listed = readPart(entries.of(part), nowMs);
      const others = listed.filter((block) => block.hash !== hash);
      if (others.length === listed.length) return;
      writePart(entries.of(part), others, nowMs);
      const removed = ofAdmins(listed) - ofAdmins(others);
      if (removed === 0) return;
      const { held, lastMs } = readCount(entries.of(count), nowMs);
      writeCount(entries.of(count), { held: Math.max(0, held - removed), lastMs }, nowMs);
    },
  };
}

/** Finds the block of a key that ends last. */
export function findOperation(targets: readonly Target[]): Operation<FoundBlock | undefined> {
  const states = targets.flatMap(stateKeys);
  const { policy } = targets[0] as Target;
  const hash = blockedHash(targets[0] as Target);
  const part = partKey(policy, hash);
  return {
    ...NO_DEADLINE,
    keys: [...states, part],
    run(entries) {
      const heads: Head[] = openStates(entries, states).map(({ head }) => head ?? NO_HEAD);
      const listed = readPart(entries.of(part), entries.nowMs).find(
        (block) => block.by === 'admin' && block.hash === hash,
      );
      return blockIn(heads, entries.nowMs, listed?.reason);
    },
  };
}

/** Adds a block of a limit to the list. */
export function begunOperation({ policy, hash, untilMs, strikes }: BegunBlock): Operation<void> {
  const part = partKey(policy, hash);
  return {
    ...NO_DEADLINE,
    keys: [part],
    run(entries) {
      const { nowMs } = entries;
      const others = readPart(entries.of(part), nowMs).filter(
        (block) => block.by === 'admin' || (block.hash !== hash && endOfBlock(block) > nowMs),
      );
      writePart(entries.of(part), [...others, { hash, untilMs, by: 'limit', strikes }], nowMs);
    },
  };
}

/** Returns the whole list. */
export function listOperation(policy: string): Operation<readonly ListedBlock[]> {
  const parts = partKeys(policy);
  return { ...NO_DEADLINE, keys: parts, run: (entries) => parts.flatMap((part) => current(entries, part)) };
}

/** Removes blocks from the list that have ended, and counts the others. */
export function sweepOperation(policy: string): Operation<void> {
  const parts = partKeys(policy);
  const count = countKey(policy);
  return {
    ...NO_DEADLINE,
    keys: [...parts, count],
    run(entries) {
      const { nowMs } = entries;
      const lists = parts.map((part) => current(entries, part));
      for (const [i, part] of parts.entries()) writePart(entries.of(part), lists[i] ?? [], nowMs);
      const held = lists.flat().filter(({ by }) => by === 'admin');
      writeCount(entries.of(count), { held: held.length, lastMs: Math.max(0, ...held.map(endOfBlock)) }, nowMs);
    },
  };
}

function current(entries: OpenEntries, part: string): readonly ListedBlock[] {
  return readPart(entries.of(part), entries.nowMs).filter((block) => endOfBlock(block) > entries.nowMs);
}

function ofAdmins(blocks: readonly ListedBlock[]): number {
  return blocks.filter(({ by }) => by === 'admin').length;
}
