import { optionError } from '@sluice/core/values';
import { encodingOf } from './encoding.js';
import { estimateText } from './estimate-text.js';

/** Counts the tokens of a text exactly, for a model. */
export type TokenCounter = (text: string, model: string) => number;

/**
 * The longest run of letters, of spaces or of signs that is counted exactly. Encoders take time by the square of a run: one of
 * 20,000 letters blocks the event loop for half a second and more.
 */
export const LONGEST_RUN = 100;

/** The most characters of one call that are counted exactly. The rest is estimated. */
export const MOST_COUNTED = 50_000;

const RUNS = /[\p{L}\p{M}\p{N}]+|\s+|[^\p{L}\p{M}\p{N}\s]+/gu;

/**
 * Returns the counter for the texts of one call. Long runs, and what goes beyond the most characters, are estimated, so that no
 * text can take a counter long.
 */
export function boundedCounter(count: TokenCounter | undefined, model: string): (text: string) => number {
  const encoding = encodingOf(model);
  const estimate = (text: string): number => estimateText(text, encoding);
  if (!count) return estimate;
  let left = MOST_COUNTED;
  const exactly = (text: string): number => {
    if (text === '') return 0;
    left -= text.length;
    return checkCount(count(text, model));
  };
  return (text) => {
    const part = text.slice(0, left);
    let tokens = estimate(text.slice(part.length));
    let from = 0;
    for (const [start, end] of longRunsOf(part)) {
      tokens += exactly(part.slice(from, start)) + estimate(part.slice(start, end));
      from = end;
    }
    return tokens + exactly(part.slice(from));
  };
}

function* longRunsOf(text: string): Generator<readonly [start: number, end: number]> {
  if (text.length <= LONGEST_RUN) return;
  for (let start = 0; start < text.length; ) {
    RUNS.lastIndex = start;
    // All characters belong to some run.
    if (!RUNS.test(text)) return;
    const end = RUNS.lastIndex;
    if (end - start > LONGEST_RUN) yield [start, end];
    start = end;
  }
}

function checkCount(tokens: unknown): number {
  if (Number.isSafeInteger(tokens) && (tokens as number) >= 0) return tokens as number;
  throw optionError('count()', 'must return a whole number of at least 0', tokens);
}
