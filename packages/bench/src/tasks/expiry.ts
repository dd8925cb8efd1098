import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { drive } from '../drive.js';
import { freshKeys } from '../fresh-key.js';
import { usedMegabytes } from '../memory-use.js';
import { provenDecider } from '../proven.js';
import { type Stall, turns } from '../stopwatch.js';

interface ExpiryOptions {
  /** Absent: an idle process, which shows what the machine does by itself. */
  readonly contender?: string;
  readonly keys: number;
  readonly windowMs: number;
}

const KEYS_A_TURN = 200;
/** Of a turn while keys expire; they are about few keys, which stay. */
const DECISIONS_A_TURN = 20;
const FEW_KEYS = 1_000;

export interface Expired extends Stall {
  /** The longest that V8 stopped the program to collect garbage meanwhile. */
  readonly longestCollectionMs: number;
  /** Held when all keys had been asked about, and when the time of all was over for long. */
  readonly heldMegabytes: number;
  readonly leftMegabytes: number;
}

export async function start({ contender, keys, windowMs }: ExpiryOptions) {
  const decider = contender && (await provenDecider(contender, { limit: 100, windowMs, maxKeys: 2 * keys }));
  const ask = (first: number, count: number): unknown => decider && drive(decider, freshKeys(first, count));
  return {
    async run(): Promise<Expired> {
      const before = usedMegabytes();
      let asked = 0;
      await turns(
        () => {
          const count = Math.min(KEYS_A_TURN, keys - asked);
          asked += count;
          return ask(asked - count, count);
        },
        () => asked >= keys,
      );
      const heldMegabytes = usedMegabytes() - before;
      // Some forget a key only in the window after its own.
      const endMs = performance.now() + 2.2 * windowMs;
      let turn = 0;
      const collections = observedCollections();
      const stall = await turns(
        () => {
          turn = (turn + DECISIONS_A_TURN) % FEW_KEYS;
          return ask(keys + turn, DECISIONS_A_TURN);
        },
        () => performance.now() > endMs,
      );
      const longestCollectionMs = await collections.longestMs();
      return { ...stall, longestCollectionMs, heldMegabytes, leftMegabytes: usedMegabytes() - before };
    },
  };
}

/** Observes from now on how long V8 stops the program to collect garbage. */
function observedCollections() {
  let longestMs = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestMs = Math.max(longestMs, duration);
  });
  observer.observe({ entryTypes: ['gc'] });
  return {
    async longestMs(): Promise<number> {
      // The last ones are told in a later turn.
      await setTimeout(10);
      observer.disconnect();
      return longestMs;
    },
  };
}
