import { blankAnswer } from '../answer.js';
import { drive } from '../drive.js';
import { freshKey, freshKeys } from '../fresh-key.js';
import { usedMegabytes } from '../memory-use.js';
import { provenDecider } from '../proven.js';
import { type Stall, turns } from '../stopwatch.js';

interface AttackOptions {
  readonly contender: string;
  readonly keys: number;
  readonly withinMs: number;
}

interface Attacked extends Stall {
  readonly keys: number;
  readonly seconds: number;
  readonly megabytes: number;
  readonly isStillRefused: boolean;
}

const KEYS_A_TURN = 100;
const LIMIT = 5;

/** Every library with the memory that it allows itself by default. */
export async function start({ contender, keys, withinMs }: AttackOptions) {
  const decider = await provenDecider(contender, { limit: LIMIT, windowMs: 3_600_000 });
  return {
    async run(): Promise<Attacked> {
      const victim = freshKey(0);
      for (let i = 0; i <= LIMIT; i += 1) await drive(decider, [victim]);
      const before = usedMegabytes();
      const startMs = performance.now();
      let asked = 0;
      const stall = await turns(
        () => {
          const count = Math.min(KEYS_A_TURN, keys - asked);
          asked += count;
          return drive(decider, freshKeys(asked - count + 1, count));
        },
        () => asked >= keys || performance.now() - startMs > withinMs,
      );
      const seconds = (performance.now() - startMs) / 1_000;
      const megabytes = usedMegabytes() - before;
      const answer = blankAnswer();
      await decider.decide(victim, answer);
      return { ...stall, keys: asked, seconds, megabytes, isStillRefused: !answer.allowed };
    },
  };
}
