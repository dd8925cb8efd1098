import { blankAnswer } from '../answer.js';
import { freshKey } from '../fresh-key.js';
import { usedBytes } from '../memory-use.js';
import { provenDecider } from '../proven.js';

interface LiveKeysOptions {
  readonly contender: string;
  readonly keys: number;
}

const WINDOW_MS = 3_600_000;

export async function start({ contender, keys }: LiveKeysOptions) {
  const decider = await provenDecider(contender, { limit: 100, windowMs: WINDOW_MS, maxKeys: 2 * keys });
  return {
    /** Bytes per key that was asked about once, the key included. */
    async run(): Promise<number> {
      const answer = blankAnswer();
      const before = usedBytes();
      for (let n = 0; n < keys; n += 1) await decider.decide(freshKey(n), answer);
      const used = usedBytes() - before;
      // Asked about again, none of them is new.
      await decider.decide(freshKey(0), answer);
      if (answer.remaining !== 98) throw new Error(`${contender} has forgotten a key`);
      return used / keys;
    },
  };
}
