import type { Worker } from './child-process.js';
import { interleaved } from './rounds.js';
import type { Scale } from './scale.js';
import type { Methods } from './tasks/index.js';
import { startWorker } from './worker.js';

/** The tasks that warm up, and take rounds, by themselves. */
export type RoundTask = 'decisions' | 'allocation' | 'admission' | 'shedder';

export type Round<Name extends RoundTask> = Awaited<ReturnType<Methods<Name>['round']>>;

/** Has each name take rounds of a task, which are shared out to several workers of the same name. */
export async function roundsOfWorkers<Name extends RoundTask>(
  task: Name,
  names: readonly string[],
  optionsOf: (name: string) => unknown,
  scale: Scale,
  flags: readonly string[] = [],
): Promise<Map<string, Round<Name>[]>> {
  const all = new Map<string, Round<Name>[]>(names.map((name) => [name, []]));
  for (let i = 0; i < scale.processes; i += 1) {
    for (const [name, rounds] of await roundsOfOneEach(task, names, optionsOf, scale, flags)) {
      all.get(name)?.push(...rounds);
    }
  }
  return all;
}

/** Starts a worker for each name, has them take rounds in turn when they are warm, and ends them. */
async function roundsOfOneEach<Name extends RoundTask>(
  task: Name,
  names: readonly string[],
  optionsOf: (name: string) => unknown,
  scale: Scale,
  flags: readonly string[],
): Promise<Map<string, Round<Name>[]>> {
  const workers = new Map<string, Worker<Name>>();
  try {
    await Promise.all(
      [...names].map(async (name) => workers.set(name, await startWorker(scale, task, optionsOf(name), { flags }))),
    );
    for (const worker of workers.values()) await worker.ask('warmUp', scale.warmUpMs.inProcess);
    const subjects = new Map(
      [...workers].map(([name, worker]) => [name, () => worker.ask('round') as Promise<Round<Name>>] as const),
    );
    return await interleaved(Math.ceil(scale.rounds / scale.processes), subjects);
  } finally {
    await Promise.all([...workers.values()].map((worker) => worker.end()));
  }
}
