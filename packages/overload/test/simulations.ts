import type { MakeGuard } from '@sluice/test-kit/overload/guard';
import type { PhaseResult } from '@sluice/test-kit/overload/measurement';
import type { Scenario } from '@sluice/test-kit/overload/scenario';
import { shedder } from '@sluice/test-kit/overload/shedder-guard';
import { simulate } from '@sluice/test-kit/overload/simulate';

/** CI plays one seed of each scenario; `npm run proof -- shedding` more of them, and prints what it found. */
export const IS_FULL = process.env.SLUICE_SHEDDING === 'full';
const SEEDS = IS_FULL ? [1, 2, 3, 4, 5] : [1];

/** For what holds of a mean alone. */
export const SEVERAL_SEEDS = IS_FULL ? SEEDS : [1, 2, 3];

/** Plays a scenario with a shedder as it is made without options, by each seed. */
export function play<Name extends string>(
  scenario: Scenario & { readonly phases: readonly { readonly name: Name }[] },
  guard: MakeGuard = shedder(),
  seeds: readonly number[] = SEEDS,
): Record<Name, PhaseResult>[] {
  return seeds.map((seed) => simulate(scenario, guard, seed) as Record<Name, PhaseResult>);
}

/** Prints a line of the full proof. */
export function report(line: string): void {
  if (IS_FULL) process.stdout.write(`shedding: ${line}\n`);
}

export const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** In percent: 0.9876 is 98.8. */
export const percent = (part: number): string => (100 * part).toFixed(1);
