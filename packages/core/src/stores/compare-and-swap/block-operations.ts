import {
  type BegunBlock,
  type BlockOrder,
  blockedHash,
  blockIn,
  type FoundBlock,
  heldUntilOf,
  type ListedBlock,
  MOST_BLOCKS,
  untilOf,
} from '../blocks.js';
import type { Target } from '../store.js';
import { countKey, endOf, partKey, partKeys, readCount, readPart, writeCount, writePart } from './block-list.js';
import { stateKeys } from './entry-keys.js';
import { type Head, NO_HEAD } from './entry-values.js';
import type { OpenEntries } from './open-entries.js';
import type { Operation } from './operations.js';

const NO_DEADLINE = { notAfterMs: undefined };

/**
 * Sets a block by hand. Returns false, and changes nothing, if the list has no room.
 *
 * @param isPassedClock - such a clock may be wrong at this moment, so nothing is dropped by it
 */
export function blockOperation(order: BlockOrder, isPassedClock: boolean): Operation<boolean> {
  const { targets, forMs, reason, text } = order;
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
      const listed = readPart(entries.of(part));
      const isOver = (block: ListedBlock) => !isPassedClock && endOf(block) <= nowMs;
      const others = listed.filter((block) => !isOver(block) && !(block.by === 'admin' && block.hash === hash));
      const known = listed.find((block) => block.by === 'admin' && block.hash === hash);
      const held = readCount(entries.of(count)) + ofAdmins(others) + 1 - ofAdmins(listed);
      if (!known && held > MOST_BLOCKS) return false;
      for (const key of states) {
        const entry = entries.of(key);
        const head = entry.head ?? NO_HEAD;
        entry.setHead({ ...head, heldUntilMs: Math.max(head.heldUntilMs, untilMs) }, nowMs);
      }
      if (known && endOf(known) >= untilMs) return true;
      const own = { ...(reason !== undefined && { reason }), ...(text !== undefined && { text }) };
      writePart(
        entries.of(part),
        [...others, { hash, untilMs: untilOf(untilMs), by: 'admin', strikes: 0, ...own }],
        nowMs,
      );
      writeCount(entries.of(count), Math.max(1, held));
      return true;
    },
  };
}

/** Lifts all blocks of a key, and forgets its strikes. Returns whether it was blocked. */
export function unblockOperation(targets: readonly Target[]): Operation<boolean> {
  const states = targets.flatMap(stateKeys);
  const unlist = unlistOperation(targets[0] as Target);
  return {
    ...NO_DEADLINE,
    keys: [...states, ...unlist.keys],
    run(entries) {
      const { nowMs } = entries;
      let isLifted = false;
      for (const key of states) {
        const entry = entries.of(key);
        const { head } = entry;
        if (!head || (head.blockEndsMs === 0 && head.strikes === 0 && head.heldUntilMs === 0)) continue;
        isLifted ||= head.blockEndsMs > nowMs || head.heldUntilMs > nowMs;
        entry.setHead({ ...NO_HEAD, admittedMs: head.admittedMs }, nowMs);
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
      const listed = readPart(entries.of(part));
      const others = listed.filter((block) => block.hash !== hash);
      if (others.length === listed.length) return;
      writePart(entries.of(part), others, entries.nowMs);
      const removed = ofAdmins(listed) - ofAdmins(others);
      if (removed > 0) writeCount(entries.of(count), Math.max(0, readCount(entries.of(count)) - removed));
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
      const heads: Head[] = states.map((key) => entries.of(key).head ?? NO_HEAD);
      const listed = readPart(entries.of(part)).find((block) => block.by === 'admin' && block.hash === hash);
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
      const others = readPart(entries.of(part)).filter(
        (block) => block.by === 'admin' || (block.hash !== hash && endOf(block) > nowMs),
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
      let held = 0;
      for (const part of parts) {
        const left = current(entries, part);
        held += ofAdmins(left);
        writePart(entries.of(part), left, entries.nowMs);
      }
      writeCount(entries.of(count), held);
    },
  };
}

function current(entries: OpenEntries, part: string): readonly ListedBlock[] {
  return readPart(entries.of(part)).filter((block) => endOf(block) > entries.nowMs);
}

function ofAdmins(blocks: readonly ListedBlock[]): number {
  return blocks.filter(({ by }) => by === 'admin').length;
}
