import type { Worker } from './child-process.js';
import { interleaved } from './rounds.js';
import type { Scale } from './scale.js';
import type { Methods } from './tasks/index.js';
import { startWorker } from './worker.js';

type Task = 'decisions' | 'allocation' | 'admission' | 'shedder';

type Round<Name extends Task> = Awaited<ReturnType<Methods<Name>['round']>>;

/** Starts a worker for each name, has them take rounds in turn, the first of which is for warming up, and ends them. */
export async function roundsOfWorkers<Name extends Task>(
  task: Name,
  names: readonly string[],
  optionsOf: (name: string) => unknown,
  scale: Scale,
  flags: readonly string[] = [],
): Promise<Map<string, Round<Name>[]>> {
  const workers = new Map<string, Worker<Name>>();
  try {
    await Promise.all(
      [...names].map(async (name) => workers.set(name, await startWorker(scale, task, optionsOf(name), { flags }))),
    );
    const subjects = new Map(
      [...names].map(
        (name) => [name, () => (workers.get(name) as Worker<Name>).ask('round') as Promise<Round<Name>>] as const,
      ),
    );
    return await interleaved(scale.rounds, subjects);
  } finally {
    await Promise.all([...workers.values()].map((worker) => worker.end()));
  }
}
