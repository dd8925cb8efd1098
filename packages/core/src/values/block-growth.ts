// Why it is so: docs/why/blocks.md

import { type Duration, durationMs } from './duration.js';
import { optionError } from './error.js';
import { at, checkOptions } from './option-checks.js';
import { warnOfSeconds } from './seconds-warning.js';

/** Blocks that become longer each time a key is blocked again. */
export interface GrowingBlock {
  /** The length of the first block. */
  first: Duration;
  /** How many times as long each further block is: 1.1 to 1,000. Default: 2. */
  factor?: number;
  /** The length of the longest block: at least `first`. */
  max: Duration;
  /**
   * How long after the end of its last block a key has to stay unblocked until its next block is a first one again.
   * Default: `max`.
   */
  forget?: Duration;
}

/** What a limit says about its blocks. */
export interface BlockNumbers {
  /** The length of the first block. */
  readonly blockMs: number;
  /** The lengths of all blocks, if they grow. */
  readonly blocksMs?: readonly number[];
  /** With `blocksMs`: how long after a block's end the next one is a first one again. */
  readonly forgetMs?: number;
}

/** A limit is sent to the store with each call, so its list of blocks has to be short. */
const MOST_STEPS = 100;

/**
 * Reads the option `blockDuration`. Growth becomes a list of whole milliseconds, so that no kernel needs powers: they
 * differ between languages, and overflow.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function blockNumbers(option: Duration | GrowingBlock, path: string): BlockNumbers {
  if (typeof option !== 'object' || option === null) return { blockMs: blockLength(option, path) };
  checkOptions(option, ['first', 'factor', 'max', 'forget'], path);
  const { first, factor = 2, max, forget } = option;
  const firstMs = blockLength(first, at(path, 'first'));
  const maxMs = durationMs(max, at(path, 'max'));
  if (maxMs < firstMs) throw optionError(at(path, 'max'), 'must be at least as long as first', max);
  checkFactor(factor, at(path, 'factor'));
  const forgetMs = forget === undefined ? maxMs : durationMs(forget, at(path, 'forget'));
  return { blockMs: firstMs, blocksMs: Object.freeze(lengthsMs(firstMs, factor, maxMs, path)), forgetMs };
}

/**
 * Returns the length of a block in milliseconds. A bare number below 1,000 causes a warning, once per process.
 *
 * @throws SluiceError `SLUICE_OPTION`, with `path`
 */
export function blockLength(length: unknown, path: string): number {
  const ms = durationMs(length, path);
  warnOfSeconds(length, path, 'block');
  return ms;
}

function checkFactor(factor: unknown, path: string): void {
  if (typeof factor === 'number' && factor >= 1.1 && factor <= 1000) return;
  throw optionError(path, 'must be a number from 1.1 to 1000: the next block is so many times as long', factor);
}

function lengthsMs(firstMs: number, factor: number, maxMs: number, path: string): number[] {
  const lengths = [firstMs];
  for (let ms = firstMs * factor; (lengths.at(-1) as number) < maxMs; ms *= factor) {
    if (lengths.length === MOST_STEPS)
      throw optionError(
        at(path, 'factor'),
        `must be larger: from first to max, blocks may have at most ${MOST_STEPS} lengths`,
        factor,
      );
    lengths.push(Math.min(maxMs, Math.round(ms)));
  }
  return lengths;
}

/** Returns the length of the longest block of a limit; 0 if it does not block. */
export function longestBlockMs({ blockMs = 0, blocksMs }: Partial<BlockNumbers>): number {
  return blocksMs === undefined ? blockMs : (blocksMs[blocksMs.length - 1] as number);
}

/** Whether `blockNumbers` can have made these numbers of a limit that came from elsewhere, such as JSON. */
export function areBlockNumbers({ blockMs, blocksMs, forgetMs }: Partial<BlockNumbers>): boolean {
  if (blocksMs === undefined) return blockMs === undefined || isLength(blockMs);
  return (
    Array.isArray(blocksMs) &&
    blocksMs.length > 0 &&
    blocksMs.length <= MOST_STEPS &&
    blocksMs[0] === blockMs &&
    blocksMs.every((ms, i) => isLength(ms) && ms >= (blocksMs[i - 1] ?? 1)) &&
    isLength(forgetMs)
  );
}

function isLength(ms: unknown): boolean {
  return Number.isSafeInteger(ms) && (ms as number) >= 1;
}
