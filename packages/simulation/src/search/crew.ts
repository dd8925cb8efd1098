import { Worker } from 'node:worker_threads';
import { ENDS, play } from '../fleet/play.js';
import { bundleOf } from '../process/bundle.js';
import { CAN_BE_PLAYED, type Play } from './failure.js';
import { brokenRun, type SeedResult, type SeedRunOptions } from './seed-run.js';

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

/** A question to a worker. It answers with a `SeedResult`. */
export interface SeedOrder {
  readonly seed: number;
  readonly options: SeedRunOptions;
}

/** What a worker says when it has loaded the code. */
export const READY = 'ready';

/** What a seed may take, beside what shrinks its failure: a hundred times as long as usual. */
const LONGEST_RUN_MS = 120_000;

interface WorkerCrewOptions {
  /** What a worker runs. Default: the player of this package. */
  readonly program?: URL;
  /** How long a seed may take. */
  readonly longestRunMs?: number;
}

/** Several players, each in a thread of its own. One that ends by itself or never answers costs its seed, and another takes its place. */
export class WorkerCrew implements Crew {
  readonly size: number;
  readonly #folders: CodeFolders;
  readonly #program: URL;
  readonly #longestRunMs: number;
  readonly #free: Worker[] = [];
  readonly #all = new Set<Worker>();

  private constructor(size: number, folders: CodeFolders, options: WorkerCrewOptions) {
    this.size = size;
    this.#folders = folders;
    this.#program = options.program ?? new URL('./crew-worker.js', import.meta.url);
    this.#longestRunMs = options.longestRunMs ?? LONGEST_RUN_MS;
  }

  /** @throws what keeps a worker from loading the code */
  static async begin(size: number, folders: CodeFolders, options: WorkerCrewOptions = {}): Promise<WorkerCrew> {
    const crew = new WorkerCrew(size, folders, options);
    try {
      const workers = await Promise.all(Array.from({ length: size }, () => crew.#newWorker()));
      crew.#free.push(...workers);
    } catch (error) {
      await crew.end();
      throw error;
    }
    return crew;
  }

  async run(seed: number, options: SeedRunOptions): Promise<SeedResult> {
    const worker = this.#free.pop() ?? (await this.#newWorker());
    const longestMs = this.#longestRunMs + options.shrinkMs;
    worker.postMessage({ seed, options } satisfies SeedOrder);
    try {
      const result = await answerOf<SeedResult>(worker, longestMs);
      this.#free.push(worker);
      return result;
    } catch (error) {
      this.#all.delete(worker);
      await worker.terminate();
      if (error instanceof LateWorker) return brokenRun(seed, options, ENDS, error.message);
      return brokenRun(
        seed,
        options,
        CAN_BE_PLAYED,
        `Its thread ended: ${error instanceof Error ? error.stack : error}`,
      );
    }
  }

  async end(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  async #newWorker(): Promise<Worker> {
    const worker = new Worker(this.#program, { workerData: this.#folders });
    this.#all.add(worker);
    await answerOf<typeof READY>(worker, LONGEST_RUN_MS);
    return worker;
  }
}

class LateWorker extends Error {}

/** Returns the next message of a worker. Rejects if it ends, or says nothing for too long. */
function answerOf<T>(worker: Worker, longestMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      clearTimeout(timer);
      worker.off('message', answered).off('error', failed).off('exit', ended);
    };
    const answered = (answer: T): void => {
      over();
      resolve(answer);
    };
    const failed = (error: unknown): void => {
      over();
      reject(error);
    };
    const ended = (code: number): void => failed(new Error(`exit code ${code}`));
    const late = (): void => failed(new LateWorker(`The run did not end within ${longestMs / 1000} s.`));
    const timer = setTimeout(late, longestMs);
    worker.on('message', answered).on('error', failed).on('exit', ended);
  });
}
