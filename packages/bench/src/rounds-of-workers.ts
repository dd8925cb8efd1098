import type { Worker } from './child-process.js';
import { interleaved } from './rounds.js';
import type { Scale } from './scale.js';
import type { TaskName } from './tasks/index.js';
import { startWorker } from './worker.js';

/** Starts a worker for each name, has them take rounds in turn, the first of which is for warming up, and ends them. */
export async function roundsOfWorkers(
  task: Extract<TaskName, 'decisions' | 'allocation'>,
  names: readonly string[],
  optionsOf: (name: string) => unknown,
  scale: Scale,
  flags: readonly string[] = [],
): Promise<Map<string, number[]>> {
  const workers = new Map<string, Worker<typeof task>>();
  try {
    await Promise.all(
      [...names].map(async (name) => workers.set(name, await startWorker(scale, task, optionsOf(name), { flags }))),
    );
    const subjects = new Map(
      [...names].map((name) => [name, () => (workers.get(name) as Worker<typeof task>).ask('round')] as const),
    );
    return await interleaved(scale.rounds, subjects);
  } finally {
    await Promise.all([...workers.values()].map((worker) => worker.end()));
  }
}
