import { Child } from './child-process.js';
import { interleaved } from './rounds.js';
import type { TaskName } from './tasks/index.js';

/** Starts a child for each name, has them take rounds in turn, the first of which is for warming up, and ends them. */
export async function roundsOfChildren(
  task: Extract<TaskName, 'decisions' | 'allocation'>,
  names: readonly string[],
  optionsOf: (name: string) => unknown,
  rounds: number,
  flags: readonly string[] = [],
): Promise<Map<string, number[]>> {
  const children = new Map<string, Child<typeof task>>();
  try {
    await Promise.all(
      [...names].map(async (name) => children.set(name, await Child.start(task, optionsOf(name), flags))),
    );
    const subjects = new Map(
      [...names].map((name) => [name, () => (children.get(name) as Child<typeof task>).ask('round')] as const),
    );
    return await interleaved(rounds, subjects);
  } finally {
    await Promise.all([...children.values()].map((child) => child.end()));
  }
}
