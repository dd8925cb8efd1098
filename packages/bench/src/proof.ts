import { blankAnswer } from './answer.js';
import type { Decider } from './contender.js';

/** How many of four requests a limit of three has to admit. */
export const PROOF_LIMIT = 3;

/**
 * Has a decider under a limit of three decide four times about one key, which nobody has asked about.
 *
 * @throws Error unless it admits three, counts them down, and refuses the fourth for a while.
 */
export async function proveThatItLimits(name: string, decider: Decider, key = 'proof'): Promise<void> {
  for (let asked = 1; asked <= PROOF_LIMIT + 1; asked += 1) {
    const answer = blankAnswer();
    await decider.decide(key, answer);
    const shouldPass = asked <= PROOF_LIMIT;
    const isRight =
      answer.allowed === shouldPass &&
      answer.limit === PROOF_LIMIT &&
      answer.remaining === Math.max(0, PROOF_LIMIT - asked) &&
      (shouldPass ? answer.retryMs === 0 : answer.retryMs !== 'never' && answer.retryMs > 0);
    if (!isRight) throw new Error(`${name} does not limit: request ${asked} got ${JSON.stringify(answer)}`);
  }
}
