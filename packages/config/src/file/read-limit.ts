import '@sluice/core/calendars';
import {
  concurrency,
  fixedWindow,
  type Limit,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  unlimited,
} from '@sluice/core';
import { checkedByCore } from './core-check.js';
import type { MistakeList } from './mistake-list.js';
import type { Path } from './path.js';
import type { LimitInput } from './schema.js';
import type { Sound } from './structure.js';

/** The words that say a limit. */
export type LimitWords = Exclude<Sound<LimitInput>, string>;

interface Maker {
  readonly needs: readonly (keyof LimitWords)[];
  readonly knows: readonly (keyof LimitWords)[];
  /** The words that this algorithm needs are there, and the constructor checks their values. */
  make(words: never): Limit;
}

const REFUSALS = ['countRejected', 'blockDuration'] as const;

/** The algorithms, with the options of their constructors. */
export const ALGORITHM_WORDS: Readonly<Record<NonNullable<LimitWords['algorithm']>, Maker>> = {
  'sliding-window': { needs: ['limit', 'window'], knows: ['buckets', ...REFUSALS], make: slidingWindow },
  'sliding-window-log': { needs: ['limit', 'window'], knows: REFUSALS, make: slidingWindowLog },
  'sliding-window-counter': { needs: ['limit', 'window'], knows: REFUSALS, make: slidingWindowCounter },
  'fixed-window': { needs: ['limit', 'window'], knows: ['align', ...REFUSALS], make: fixedWindow },
  'token-bucket': {
    needs: ['capacity', 'refillRate'],
    knows: ['refillInterval', 'keepFor', ...REFUSALS],
    make: tokenBucket,
  },
  'leaky-bucket': { needs: ['capacity', 'leakRate'], knows: ['immediate'], make: leakyBucket },
  concurrency: { needs: ['limit', 'lease'], knows: [], make: concurrency },
  unlimited: { needs: [], knows: [], make: unlimited },
};

/** Every word of a limit, apart from the algorithm. */
const WORDS = [...new Set(Object.values(ALGORITHM_WORDS).flatMap(({ needs, knows }) => [...needs, ...knows]))];

/** Returns the words of a limit from a mapping that has other words, too. Undefined if it has none. */
export function limitWordsOf(input: LimitWords): LimitWords | undefined {
  const given = (['algorithm', ...WORDS] as const).filter((word) => input[word] !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given.map((word) => [word, input[word]]));
}

/**
 * Makes a limit by the constructor of its algorithm: by default a sliding window, and for a calendar window a fixed one. Returns
 * undefined, with the mistakes, if the words make no limit.
 */
export function readLimit(input: LimitWords | 'unlimited', path: Path, mistakes: MistakeList): Limit | undefined {
  if (input === 'unlimited') return unlimited();
  const words = limitWordsOf(input) ?? {};
  const algorithm = words.algorithm ?? (typeof words.window === 'object' ? 'fixed-window' : 'sliding-window');
  if (words.algorithm === undefined && mistakes.has([...path, 'algorithm'])) return undefined;
  const { needs, knows, make } = ALGORITHM_WORDS[algorithm];
  const strangers = WORDS.filter((word) => words[word] !== undefined && !needs.includes(word) && !knows.includes(word));
  for (const word of strangers) {
    const rule = `does not belong to the algorithm ${algorithm}: ${cureOf(word, words)}`;
    mistakes.addValue([...path, word], rule, words[word], { at: 'key' });
  }
  const isMisnamed = strangers.length > 0 && words.algorithm === undefined;
  const missing = needs.filter((word) => words[word] === undefined);
  // An unknown word is probably the one that is missing.
  if (!isMisnamed && !mistakes.hasUnknownWord(path))
    for (const word of missing) mistakes.add([...path, word], missingRule(word, algorithm), { at: 'missing' });
  if (typeof words.window === 'object' && algorithm !== 'fixed-window' && !strangers.includes('window')) {
    const rule = 'must be a duration such as 1m, because a calendar window needs algorithm: fixed-window';
    mistakes.addValue([...path, 'window'], rule, words.window);
    return undefined;
  }
  if (strangers.length > 0 || missing.length > 0) return undefined;
  const { algorithm: _, ...options } = words;
  return checkedByCore(() => make(options as never), path, mistakes);
}

/** Says which algorithm has the word, and all others that are there. */
function cureOf(word: keyof LimitWords, words: LimitWords): string {
  const given = WORDS.filter((each) => words[each] !== undefined);
  const others = Object.entries(ALGORITHM_WORDS).filter(([, { needs, knows }]) => [...needs, ...knows].includes(word));
  const whole = others.find(([, { needs, knows }]) => given.every((each) => [...needs, ...knows].includes(each)));
  if (whole !== undefined) return `write algorithm: ${whole[0]}`;
  return `remove it, because it belongs to ${others.map(([name]) => name).join(', ')}`;
}

function missingRule(word: string, algorithm: string): string {
  const example = { limit: 'limit: 100', window: 'window: 1m', lease: 'lease: 30s' }[word] ?? `${word}: 10`;
  return `is missing: the algorithm ${algorithm} needs it, for example ${example}`;
}
