import type { Tape } from '../../tape/tape.js';

/**
 * One way to make a tape simpler. It has places, such as the steps of the tape: `at` is the number of one. Returns simpler tapes, the
 * simplest first; undefined if there are fewer places. What it returns must be simpler in a sense in which nothing can become
 * simpler for ever.
 */
export type Pass = (tape: Tape, at: number) => readonly Tape[] | undefined;

/** Returns a list without some of its items. */
export function without<T>(list: readonly T[], from: number, count = 1): readonly T[] {
  return [...list.slice(0, from), ...list.slice(from + count)];
}
