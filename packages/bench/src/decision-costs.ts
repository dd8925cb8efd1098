import { processorMs } from './processor-time.js';
import { warmRounds } from './rounds.js';
import type { Scale } from './scale.js';
import { ratios, spreadOf } from './spread.js';
import type { Table } from './table.js';

/** A round has this many decisions for each one that `Scale.allocations` says: a round of processor time. */
const PER_ROUND = 5;

/** How many decisions a round has. */
export const decisionsOf = ({ allocations }: Scale): number => PER_ROUND * allocations;

/** Holds the last value, so that the compiler does not leave out what nobody uses. */
const last: { value?: unknown } = {};

/** Uses a value. */
export function keep(value: unknown): void {
  last.value = value;
}

/** Nanoseconds of processor time for a decision. */
export function costOf(keys: readonly string[], decide: (key: string) => unknown): number {
  const beforeMs = processorMs();
  for (const key of keys) keep(decide(key));
  return ((processorMs() - beforeMs) * 1e6) / keys.length;
}

/** Compares costs of decisions in this process. The first is what the others are compared with. */
export async function costTable(
  caption: string,
  subjects: Readonly<Record<string, () => number>>,
  { warmUpMs, rounds }: Scale,
): Promise<Table> {
  const costs = await warmRounds(warmUpMs.inProcess, rounds, new Map(Object.entries(subjects)));
  const [first = []] = costs.values();
  return {
    caption,
    head: ['', 'ns of the processor each', 'times the first'],
    rows: [...costs].map(([name, ns]) => [name, spreadOf(ns), ratios(ns, first)]),
  };
}
