import { blankAnswer } from './answer.js';
import type { Decider } from './contender.js';

const answer = blankAnswer();

/** Asks about each key in turn; gives how many were allowed. */
export function drive(decider: Decider, keys: Iterable<string>): number | Promise<number> {
  return decider.isAsync ? driveAwaiting(decider, keys) : driveAtOnce(decider, keys);
}

function driveAtOnce(decider: Extract<Decider, { isAsync: false }>, keys: Iterable<string>): number {
  let allowed = 0;
  for (const key of keys) {
    decider.decide(key, answer);
    if (answer.allowed) allowed += 1;
  }
  return allowed;
}

async function driveAwaiting(decider: Extract<Decider, { isAsync: true }>, keys: Iterable<string>): Promise<number> {
  let allowed = 0;
  for (const key of keys) {
    await decider.decide(key, answer);
    if (answer.allowed) allowed += 1;
  }
  return allowed;
}
