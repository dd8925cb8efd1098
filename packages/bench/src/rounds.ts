import { workFor } from './work-for.js';

/**
 * Measures all once per round, one after another, so that a slow moment of the machine meets all alike. What the rounds
 * gave is by name, each list in the order of the rounds.
 */
export async function interleaved<Result>(
  rounds: number,
  subjects: ReadonlyMap<string, () => Result | Promise<Result>>,
): Promise<Map<string, Result[]>> {
  const results = new Map<string, Result[]>([...subjects.keys()].map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // Who comes first changes, so that nobody always follows the same neighbour's garbage.
    const names = [...subjects.keys()];
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      results.get(name)?.push(await (subjects.get(name) as () => Result | Promise<Result>)());
    }
  }
  return results;
}

/** Has each work for so many milliseconds, one after another, and measures them in rounds after that. */
export async function warmRounds<Result>(
  warmUpMs: number,
  rounds: number,
  subjects: ReadonlyMap<string, () => Result | Promise<Result>>,
): Promise<Map<string, Result[]>> {
  for (const subject of subjects.values()) await workFor(warmUpMs, subject);
  return interleaved(rounds, subjects);
}
