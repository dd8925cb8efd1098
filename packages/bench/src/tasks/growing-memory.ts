import { blankAnswer } from '../answer.js';
import type { Decider } from '../contender.js';
import { freshKey } from '../fresh-key.js';
import { usedBytes } from '../memory-use.js';
import { percentilesOf } from '../percentiles.js';
import { processorMs } from '../processor-time.js';
import { provenDecider } from '../proven.js';
import { randomOf } from '../random.js';
import { turns } from '../stopwatch.js';

interface GrowingMemoryOptions {
  readonly contender: string;
  readonly keys: number;
  /** How many characters a key has, 36 or more. */
  readonly keyLength: number;
}

/** What so many keys cost. */
interface Grown {
  readonly bytesPerKey: number;
  /** The longest turn while the keys came, in milliseconds of the processor. */
  readonly longestMs: number;
}

/** What a decision about one of them costs. */
interface Asked {
  readonly processorNs: number;
  readonly p50Ns: number;
  readonly p99Ns: number;
}

const WINDOW_MS = 3_600_000;
const KEYS_A_TURN = 200;
const NS_PER_MS = 1_000_000;

export async function start({ contender, keys, keyLength }: GrowingMemoryOptions) {
  const decider = (await provenDecider(contender, { limit: 100, windowMs: WINDOW_MS, maxKeys: keys })) as Extract<
    Decider,
    { isAsync: false }
  >;
  const answer = blankAnswer();
  const nextKey = keysOf(keys, keyLength);
  return {
    /** Asks about each key once. */
    async fill(): Promise<Grown> {
      const keyOf = keyMaker(keyLength);
      const before = usedBytes();
      let asked = 0;
      const { longestProcessorMs } = await turns(
        () => {
          const end = Math.min(asked + KEYS_A_TURN, keys);
          for (; asked < end; asked += 1) decider.decide(keyOf(asked), answer);
        },
        () => asked >= keys,
      );
      return { bytesPerKey: (usedBytes() - before) / keys, longestMs: longestProcessorMs };
    },

    /** Asks about so many of them, any after any. */
    async ask(decisions: number): Promise<Asked> {
      const chosen = Array.from({ length: decisions }, nextKey);
      const startMs = processorMs();
      for (const key of chosen) decider.decide(key, answer);
      const processorNs = (NS_PER_MS * (processorMs() - startMs)) / decisions;
      const tookMs = Array.from({ length: decisions }, nextKey).map((key) => {
        const beganMs = performance.now();
        decider.decide(key, answer);
        return performance.now() - beganMs;
      });
      const { p50, p99 } = percentilesOf(tookMs);
      return { processorNs, p50Ns: NS_PER_MS * p50, p99Ns: NS_PER_MS * p99 };
    },
  };
}

/** Returns keys of a number of keys, drawn at random. */
function keysOf(keys: number, length: number): () => string {
  const random = randomOf(7);
  const keyOf = keyMaker(length);
  return () => keyOf(Math.floor(random() * keys));
}

/** Makes keys of a length, each a string of its own: as `freshKey` does. */
export function keyMaker(length: number): (n: number) => string {
  const bytes = Buffer.alloc(length, 'k');
  return (n) => {
    const end = freshKey(n);
    if (end.length === length) return end;
    bytes.write(end, length - end.length, 'latin1');
    return bytes.toString('latin1');
  };
}
