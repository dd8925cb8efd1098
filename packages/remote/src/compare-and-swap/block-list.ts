// Why it is so: core/docs/why/blocks.md

import { endOfBlock, type ListedBlock, MOST_BLOCKS, untilOf } from '@sluice/core/src/stores/blocks';
import { LONGEST_MS } from '@sluice/core/src/values/duration';
import { blockListKey } from './entry-keys.js';
import { listIn } from './json-list.js';
import type { OpenEntry } from './open-entries.js';

/**
 * A list is kept in parts, by the first character of the hash: a part is read and written as a whole, and blocks of
 * different keys seldom meet in one.
 */
const PARTS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The most blocks of limits in one part. */
const MOST_OF_LIMITS = Math.floor(MOST_BLOCKS / PARTS.length);

/** Use another number if the form of a part or of the number of blocks changes. */
const FORMAT = 1;

/** Returns the key of the part that lists a hash. */
export function partKey(policy: string, hash: string): string {
  return blockListKey(policy, hash.slice(0, 1));
}

/** Returns the keys of all parts of a list. */
export function partKeys(policy: string): readonly string[] {
  return [...PARTS].map((part) => blockListKey(policy, part));
}

/** Returns the key of the number of blocks that were set by hand. */
export function countKey(policy: string): string {
  return blockListKey(policy, 'count');
}

/**
 * Reads a part.
 *
 * @throws SluiceError `SLUICE_STORE` if this version does not know its form
 */
export function readPart(entry: OpenEntry, nowMs: number): readonly ListedBlock[] {
  entry.check(isKnown, nowMs);
  const [, rows] = listIn(entry.text);
  return (Array.isArray(rows) ? rows : []).map((row) => {
    const [hash, untilMs, by, strikes, reason, text] = row as readonly [
      string,
      number,
      ListedBlock['by'],
      number,
      ...(string | null)[],
    ];
    const own = { ...(typeof reason === 'string' && { reason }), ...(typeof text === 'string' && { text }) };
    return { hash, untilMs: untilOf(untilMs), by, strikes, ...own };
  });
}

/** Writes a part. If it has too many blocks of limits, those that end first are left out. */
export function writePart(entry: OpenEntry, blocks: readonly ListedBlock[], nowMs: number): void {
  const byEnd = [...blocks].sort((a, b) => endOfBlock(b) - endOfBlock(a));
  let ofLimits = 0;
  const kept = byEnd.filter(({ by }) => by === 'admin' || ++ofLimits <= MOST_OF_LIMITS);
  const rows = kept.map((block) => {
    const { hash, by, strikes, reason = null, text = null } = block;
    return [hash, endOfBlock(block), by, strikes, reason, text];
  });
  const lastMs = kept[0] ? Math.min(endOfBlock(kept[0]) - nowMs, LONGEST_MS) : 0;
  entry.setText(inAscii(JSON.stringify([FORMAT, rows])), Math.max(0, lastMs));
}

/** How many blocks of a policy were set by hand, and when the last of them ends. */
interface BlockCount {
  readonly held: number;
  readonly lastMs: number;
}

/**
 * Reads the number of blocks by hand. It was a bare number before it had an end.
 *
 * @throws SluiceError `SLUICE_STORE` if this version does not know its form
 */
export function readCount(entry: OpenEntry, nowMs: number): BlockCount {
  entry.check((text) => isKnown(text) || /^\d+$/.test(text), nowMs);
  const { text } = entry;
  if (text === undefined) return { held: 0, lastMs: 0 };
  if (!isKnown(text)) return { held: Number(text), lastMs: nowMs + LONGEST_MS };
  const [, held, lastMs] = listIn(text);
  return { held: Number(held), lastMs: Number(lastMs) };
}

/** Keeps the number until the last block ends. */
export function writeCount(entry: OpenEntry, { held, lastMs }: BlockCount, nowMs: number): void {
  entry.setText(
    JSON.stringify([FORMAT, held, lastMs]),
    held > 0 ? Math.max(0, Math.min(lastMs - nowMs, LONGEST_MS)) : 0,
  );
}

function isKnown(text: string): boolean {
  return listIn(text)[0] === FORMAT;
}

/** Writes all other characters of a JSON text as escapes, since values of entries are ASCII. */
function inAscii(json: string): string {
  return json.replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
