import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { play } from '../fleet/play.js';
import { bundleOf } from '../process/bundle.js';
import type { Play } from './failure.js';
import { runSeed, type SeedResult, type SeedRunOptions } from './seed-run.js';

/** Where the code of each version stands, and the packages of others. */
export interface CodeFolders {
  readonly roots: readonly string[];
  readonly modules: string;
}

/** Those who play the seeds of a campaign. */
export interface Crew {
  /** How many seeds they play at the same time. */
  readonly size: number;
  /** Plays a seed with one of them who is free. */
  run(seed: number, options: SeedRunOptions): Promise<SeedResult>;
  end(): Promise<void>;
}

/** Returns how this code plays a tape. */
export async function playOf({ roots, modules }: CodeFolders): Promise<Play> {
  const bundles = await Promise.all(roots.map((root) => bundleOf(root, modules)));
  return (tape, watch) => play(tape, bundles, watch);
}

/** One player, in this thread. */
export function soloCrew(play: Play): Crew {
  return { size: 1, run: (seed, options) => runSeed(seed, play, options), end: async () => undefined };
}

/** A question to a worker. It answers with a `SeedResult`. */
export interface SeedOrder {
  readonly seed: number;
  readonly options: SeedRunOptions;
}

/** Several players, each in a thread of its own. */
export class WorkerCrew implements Crew {
  readonly size: number;
  readonly #free: Worker[];
  readonly #all: readonly Worker[];

  constructor(size: number, folders: CodeFolders) {
    this.size = size;
    this.#all = Array.from(
      { length: size },
      () => new Worker(new URL('./crew-worker.js', import.meta.url), { workerData: folders }),
    );
    this.#free = [...this.#all];
  }

  async run(seed: number, options: SeedRunOptions): Promise<SeedResult> {
    const worker = this.#free.pop();
    if (!worker) throw new Error('All workers are busy');
    try {
      worker.postMessage({ seed, options } satisfies SeedOrder);
      const [result] = (await once(worker, 'message')) as [SeedResult];
      return result;
    } finally {
      this.#free.push(worker);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#all.map((worker) => worker.terminate()));
  }
}
