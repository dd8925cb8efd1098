import type { Decider } from './contender.js';

/** Costs come in turn: 1 to 7. Seven divides no number of keys here, so a key gets all of them. */
const COSTS = 7;

/** The cost of decision number `n`. */
export const costAt = (n: number): number => 1 + (n % COSTS);

/** A decider of which each decision has the next cost. */
export function withCosts(decider: Decider): Decider {
  let decisions = 0;
  const nextCost = (): number => {
    decisions += 1;
    return costAt(decisions);
  };
  const missing = new Error('It knows no costs');
  if (decider.isAsync) {
    const { decideCost } = decider;
    if (!decideCost) throw missing;
    return { ...decider, decide: (key, answer) => decideCost(key, nextCost(), answer) };
  }
  const { decideCost } = decider;
  if (!decideCost) throw missing;
  return { ...decider, decide: (key, answer) => decideCost(key, nextCost(), answer) };
}
