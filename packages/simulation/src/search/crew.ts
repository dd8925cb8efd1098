import { Worker } from 'node:worker_threads';
import { ENDS, play } from '../fleet/play.js';
import { bundleOf } from '../process/bundle.js';
import type { Tape } from '../tape/tape.js';
import { CommandError, messageOf } from './command-error.js';
import { CAN_BE_PLAYED, type Play } from './failure.js';
import type { TapeReport, TapeReportOptions } from './one-tape.js';
import { brokenRun, type SeedResult, type SeedRunOptions } from './seed-run.js';

/** Where the code of each version stands, and the packages of others. */
export interface CodeFolders {
  readonly roots: readonly string[];
  readonly modules: string;
}

/** Those who play the seeds of a campaign, or one tape. */
export interface Crew {
  /** How many seeds they play at the same time. */
  readonly size: number;
  /** Plays a seed with one of them who is free. */
  run(seed: number, options: SeedRunOptions): Promise<SeedResult>;
  /** Plays a tape with one of them who is free. */
  report(tape: Tape, options: TapeReportOptions): Promise<TapeReport>;
  end(): Promise<void>;
}

/** Returns how this code plays a tape. */
export async function playOf({ roots, modules }: CodeFolders): Promise<Play> {
  const bundles = await Promise.all(roots.map((root) => bundleOf(root, modules)));
  return (tape, watch) => play(tape, bundles, watch);
}

/** What a worker is asked to play. It answers with a `SeedResult` or a `TapeReport`. */
export type Order =
  | { readonly seed: number; readonly options: SeedRunOptions }
  | { readonly tape: Tape; readonly options: TapeReportOptions };

/** What a worker says when it has loaded the code. */
export const READY = 'ready';

/** What a seed or a tape may take of a processor, beside what shrinks its failure: a hundred times as long as usual. */
const LONGEST_WORK_MS = 120_000;

/** It takes a second of a processor. */
const LONGEST_LOAD_MS = 120_000;

interface WorkerCrewOptions {
  /** What a worker runs. Default: the player of this package. */
  readonly program?: URL;
  /** How long a seed may have a processor, or may wait for nothing. */
  readonly longestRunMs?: number;
  /** The same for a worker that loads the code. */
  readonly longestLoadMs?: number;
}

/** Several players, each in a thread of its own. One that ends by itself or never answers costs its seed, and another takes its place. */
export class WorkerCrew implements Crew {
  readonly size: number;
  readonly #folders: CodeFolders;
  readonly #program: URL;
  readonly #longestRunMs: number;
  readonly #longestLoadMs: number;
  readonly #free: Worker[] = [];
  readonly #all = new Set<Worker>();

  private constructor(size: number, folders: CodeFolders, options: WorkerCrewOptions) {
    this.size = size;
    this.#folders = folders;
    this.#program = options.program ?? new URL('./crew-worker.js', import.meta.url);
    this.#longestRunMs = options.longestRunMs ?? LONGEST_WORK_MS;
    this.#longestLoadMs = options.longestLoadMs ?? LONGEST_LOAD_MS;
  }

  /** @throws CommandError if a worker cannot load the code */
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
    const result = await this.#ask<SeedResult>({ seed, options });
    return result instanceof BrokenOrder ? brokenRun(seed, options, result.invariant, result.message) : result;
  }

  async report(tape: Tape, options: TapeReportOptions): Promise<TapeReport> {
    const report = await this.#ask<TapeReport>({ tape, options });
    return report instanceof BrokenOrder ? { lines: [`${report.invariant}: ${report.message}`], isNew: true } : report;
  }

  async #ask<T>(order: Order): Promise<T | BrokenOrder> {
    const worker = this.#free.pop() ?? (await this.#newWorker());
    const longestMs = this.#longestRunMs + order.options.shrinkMs;
    worker.postMessage(order);
    try {
      const answer = await this.#answerOf<T>(worker, longestMs);
      if (this.#all.has(worker)) this.#free.push(worker);
      return answer;
    } catch (error) {
      await worker.terminate();
      if (error instanceof LateWorker) return new BrokenOrder(ENDS, `The run did not end within ${error.message}.`);
      return new BrokenOrder(CAN_BE_PLAYED, `Its thread ended: ${error instanceof Error ? error.stack : error}`);
    }
  }

  async end(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  /** @throws CommandError if it cannot load the code */
  async #newWorker(): Promise<Worker> {
    const worker = new Worker(this.#program, { workerData: this.#folders });
    this.#all.add(worker);
    // One may end while nobody waits for it. That concerns no seed.
    worker.on('error', () => undefined).on('exit', () => this.#forget(worker));
    try {
      await this.#answerOf<typeof READY>(worker, this.#longestLoadMs);
      return worker;
    } catch (error) {
      await worker.terminate();
      const why = error instanceof LateWorker ? `not within ${error.message}` : messageOf(error);
      throw new CommandError(`A thread could not load the code: ${why}`);
    }
  }

  /**
   * Returns the next message of a worker. Rejects if it ends, or says nothing for too long: on a machine that is busy with other things,
   * it gets its time later. All workers share what the process gets.
   */
  #answerOf<T>(worker: Worker, longestMs: number): Promise<T> {
    const hadMs = processorMs();
    const hadOf = worker.performance.eventLoopUtilization();
    return new Promise((resolve, reject) => {
      let reason: unknown;
      const over = (): void => {
        clearTimeout(timer);
        worker.off('message', answered).off('error', erred).off('exit', ended);
      };
      const answered = (answer: T): void => {
        over();
        resolve(answer);
      };
      const failed = (error: unknown): void => {
        over();
        reject(error);
      };
      // Its error may overtake its answer, if this thread is busy. Its exit follows both.
      const erred = (error: unknown): void => {
        reason = error;
      };
      const ended = (code: number): void => failed(reason ?? new Error(`exit code ${code}`));
      const late = (): void => {
        const leftMs = longestMs - (processorMs() - hadMs) / this.size;
        const isAtWork = worker.performance.eventLoopUtilization(hadOf).utilization > 0.5;
        if (leftMs <= 0 || !isAtWork) failed(new LateWorker(`${longestMs / 1000} s`));
        else timer = setTimeout(late, leftMs);
      };
      let timer = setTimeout(late, longestMs);
      worker.on('message', answered).on('error', erred).on('exit', ended);
    });
  }

  #forget(worker: Worker): void {
    this.#all.delete(worker);
    const place = this.#free.indexOf(worker);
    if (place >= 0) this.#free.splice(place, 1);
  }
}

/** Why a worker has not answered. */
class BrokenOrder {
  readonly invariant: string;
  readonly message: string;

  constructor(invariant: string, message: string) {
    this.invariant = invariant;
    this.message = message;
  }
}

/** Its message is how long somebody has waited. */
class LateWorker extends Error {}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
