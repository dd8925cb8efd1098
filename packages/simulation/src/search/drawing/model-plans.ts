import { featureOver } from '../../tape/nesting.js';
import type { PlanNumbers, PlanSetup, Setup } from '../../tape/tape.js';
import type { Draws } from './draws.js';

/** This part of the runs calls language models. */
const PART_WITH_PLANS = 0.1;

/** Minutes are minutes, whatever the other limits of a run are. */
const SHORTEST_WITH_PLANS_MS = 30_000;
const LONGEST_WITH_PLANS_MS = 600_000;

/** Adds plans to the set-up of a run, in some runs. Other runs stay as they were drawn. */
export function withPlans(draws: Draws, setup: Setup): Setup {
  if (!draws.happens(PART_WITH_PLANS)) return setup;
  const takesSlots = featureOver('concurrency', setup.store) === 'allowed';
  const count = draws.happens(0.2) ? 2 : 1;
  const plans = Array.from({ length: count }, (_, i) => drawPlan(draws, `m${i}`, takesSlots));
  const lastsMs = Math.max(setup.lastsMs, draws.scaled(SHORTEST_WITH_PLANS_MS, LONGEST_WITH_PLANS_MS));
  return { ...setup, plans, lastsMs };
}

function drawPlan(draws: Draws, name: string, takesSlots: boolean): PlanSetup {
  return {
    name,
    // While the store fails, the other choices let calls pass that nothing counts.
    onStoreError: draws.weighted([[8, 'deny'] as const, [1, 'local'] as const, [1, 'allow'] as const]),
    limits: drawNumbers(draws, takesSlots, 1),
    ...(draws.happens(0.35) && { together: drawNumbers(draws, takesSlots, 2) }),
    hold: draws.of(['default', 'expected', 'ceiling'] as const),
    ...(draws.happens(0.2) && { unknownUsage: draws.of(['counted', 'reserved'] as const) }),
    maxHoldMs: draws.happens(0.3) ? 900_000 : draws.scaled(1000, 120_000),
    ...(draws.happens(0.3) && { unseen: draws.scaled(1, 500) }),
    ...(draws.happens(0.3) && { isWatched: true as const }),
  };
}

function drawNumbers(draws: Draws, takesSlots: boolean, factor: number): PlanNumbers {
  const tokens = (): number => draws.scaled(300, 8000 * factor);
  const choices: readonly (readonly [keyof PlanNumbers, part: number, units: () => number])[] = [
    ['rpm', 0.4, () => draws.scaled(2, 40 * factor)],
    ['tpm', 0.6, tokens],
    ['itpm', 0.15, tokens],
    ['otpm', 0.15, tokens],
    ['parallel', takesSlots ? 0.5 : 0, () => draws.whole(1, 4 * factor)],
    ['perDay', 0.4, () => draws.scaled(1000, 100_000 * factor)],
    ['perMonth', 0.1, () => draws.scaled(1000, 100_000 * factor)],
  ];
  const numbers = Object.fromEntries(
    choices.flatMap(([name, part, units]) => (draws.happens(part) ? [[name, units()]] : [])),
  );
  return Object.keys(numbers).length === 0 ? { tpm: tokens() } : numbers;
}
