import type { Quota } from './contender.js';
import { KEEP_EVERY_HIT } from './contenders/memory/index.js';
import { freshKey } from './fresh-key.js';
import { randomOf, zipfOf } from './random.js';
import type { Scale } from './scale.js';

/** Which keys are asked about, and what they are held to. */
export interface Load {
  readonly quota: Quota;
  /** Asked about once before anything is measured. */
  readonly before: Iterable<string>;
  /** One for each decision of a round; fewer where more would change what is measured. */
  keys(count: number): readonly string[];
  /** The same, where asking about those of a round would change what is measured. Default: those of a round. */
  keysToWarmUp?(count: number): readonly string[];
  /** Whether decisions have several costs. Default: each costs 1. */
  readonly hasCosts?: boolean;
}

const HOUR_MS = 3_600_000;
const UNREACHED = 1_000_000_000;
/** Of one hot key, before those who keep every hit are asked about another. */
const HITS_OF_ONE_KEY = 1_000;

const hotKeyAllowed =
  (strings: 'same' | 'fresh') =>
  (_: Scale, contender: string): Load => {
    const keepsAll = KEEP_EVERY_HIT.includes(contender);
    let asked = 0;
    return {
      quota: { limit: keepsAll ? 2 * HITS_OF_ONE_KEY : UNREACHED, windowMs: HOUR_MS },
      before: [],
      keys(count) {
        let number = 0;
        let key = freshKey(number);
        return Array.from({ length: count }, () => {
          const isNext = keepsAll && asked % HITS_OF_ONE_KEY === 0;
          if (isNext) number = asked;
          if (isNext || strings === 'fresh') key = freshKey(number);
          asked += 1;
          return key;
        });
      },
    };
  };

const repeated = (key: string, count: number): string[] => Array.from({ length: count }, () => key);

function hotKeyRefused(): Load {
  const key = freshKey(0);
  const quota = { limit: 1, windowMs: HOUR_MS };
  return { quota, before: [key, key], keys: (count) => repeated(key, count) };
}

function freshHotKeyRefused(): Load {
  const keys = (count: number): string[] => Array.from({ length: count }, () => freshKey(0));
  return { quota: { limit: 1, windowMs: HOUR_MS }, before: keys(2), keys };
}

function drawn(count: number, draw: () => number): Load {
  return {
    quota: { limit: 100, windowMs: HOUR_MS, maxKeys: 2 * count },
    before: numbered(count),
    keys: (decisions) => Array.from({ length: decisions }, () => freshKey(draw())),
  };
}

function* numbered(count: number): Iterable<string> {
  for (let n = 0; n < count; n += 1) yield freshKey(n);
}

function uniform({ uniformKeys }: Pick<Scale, 'uniformKeys'>): Load {
  const random = randomOf(7);
  return drawn(uniformKeys, () => Math.floor(random() * uniformKeys));
}

function zipf({ zipfKeys }: Scale): Load {
  return drawn(zipfKeys, zipfOf(zipfKeys, randomOf(11)));
}

/** Few enough that each is asked about several times in a round. */
function uniformOfFew({ uniformKeys }: Scale): Load {
  return uniform({ uniformKeys: Math.ceil(uniformKeys / 10) });
}

/** Windows of a second: their sub-windows turn while decisions are made. */
function turning(scale: Scale): Load {
  const load = uniformOfFew(scale);
  return { ...load, quota: { ...load.quota, windowMs: 1_000 } };
}

function mixedCosts(scale: Scale): Load {
  const load = uniformOfFew(scale);
  return { ...load, quota: { ...load.quota, limit: UNREACHED }, hasCosts: true };
}

/** A key whose window is full of hits, all over it, as far as whoever counts takes a clock. */
function hitsInWindow({ hitsInWindow: hits }: Scale, contender: string): Load {
  let pastMs = HOUR_MS;
  const clock = {
    now: () => Math.floor(performance.timeOrigin + performance.now() - pastMs),
    sleep: async () => {},
  };
  const key = freshKey(0);
  function* before(): Iterable<string> {
    for (let hit = 0; hit < hits; hit += 1) {
      yield key;
      pastMs -= (0.9 * HOUR_MS) / hits;
    }
  }
  // To those who look at each hit, more of them would be another load.
  const most = KEEP_EVERY_HIT.includes(contender) ? Math.ceil(hits / 50) : Number.POSITIVE_INFINITY;
  const some = (key: string) => (count: number) => repeated(key, Math.min(count, most));
  return {
    quota: { limit: UNREACHED, windowMs: HOUR_MS, clock },
    before: before(),
    keys: some(key),
    keysToWarmUp: some(most === Number.POSITIVE_INFINITY ? key : freshKey(1)),
  };
}

/** By the head of its column. */
export const LOADS = {
  'hot key, allowed': hotKeyAllowed('same'),
  'hot key, refused': hotKeyRefused,
  'allowed, a fresh string each time': hotKeyAllowed('fresh'),
  'refused, a fresh string each time': freshHotKeyRefused,
  'many keys, uniform': uniform,
  'very many keys, Zipf': zipf,
  'many hits in the window': hitsInWindow,
  'windows of a second': turning,
  'mixed costs': mixedCosts,
} as const satisfies Readonly<Record<string, (scale: Scale, contender: string) => Load>>;

export type LoadName = keyof typeof LOADS;
