import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Command } from '../scratch/run-command.js';
import type { ScratchCheckout } from '../scratch/scratch-checkout.js';
import { LONGEST_MS, limitAfter, type Task } from './stage.js';

/** How long Jest takes to start. */
const START_MS = 3000;

/** More files in one process make each other slow. */
const FILES_PER_RUN = 25;

/** Where Jest runs tests. Its files are in a folder that stays, so that it knows what it has compiled before. */
interface Jest {
  readonly cacheFolder: string;
  /** A file in which the times of tests are kept from one run to the next. */
  readonly timesFile: string;
}

/** How long each test file takes on unchanged code, in milliseconds. `failed`: it does not pass there. */
type Times = Record<string, number | 'failed'>;

/** Runs test files, and knows how long they take. */
export class JestRuns {
  readonly #jest: Jest;
  readonly #report: (line: string) => void;
  #times: Times;

  constructor(jest: Jest, report: (line: string) => void) {
    this.#jest = jest;
    this.#report = report;
    this.#times = existsSync(jest.timesFile) ? JSON.parse(readFileSync(jest.timesFile, 'utf8')) : {};
  }

  /** The code has changed: what was measured is no longer known. */
  forget(): void {
    this.#times = {};
  }

  /** Runs the test files that are not known yet. Those that fail twice on unchanged code are never used. */
  async measure(checkout: ScratchCheckout, tests: readonly string[], signal?: AbortSignal): Promise<void> {
    const unknown = tests.filter((test) => this.#times[test] === undefined);
    for (const some of parted(unknown)) {
      const first = await this.#timesOf(checkout, some, signal);
      const again = some.filter((test) => first[test] === 'failed');
      const second = again.length > 0 ? await this.#timesOf(checkout, again, signal) : {};
      if (signal?.aborted) return;
      Object.assign(this.#times, first, second);
      writeFileSync(this.#jest.timesFile, JSON.stringify(this.#times, null, 2));
    }
    const failed = tests.filter((test) => this.#times[test] === 'failed');
    for (const test of failed) this.#report(`${test} fails on unchanged code, so it is left out.`);
  }

  /** Commands that run these test files and end at the first that fails. */
  tasksOf(tests: readonly string[]): Task[] {
    const known = tests.filter((test) => typeof this.#times[test] === 'number');
    return parted(known.toSorted((a, b) => this.#timeOf(a) - this.#timeOf(b))).map((some) => ({
      command: [...this.#command(), '--bail', '--', ...some],
      limitMs: limitAfter(some.reduce((sum, test) => sum + this.#timeOf(test), START_MS)),
      failureIn: firstFailureIn,
    }));
  }

  #timeOf(test: string): number {
    const time = this.#times[test];
    return typeof time === 'number' ? time : 0;
  }

  async #timesOf(checkout: ScratchCheckout, tests: readonly string[], signal?: AbortSignal): Promise<Times> {
    const file = join(checkout.temporary, 'jest.json');
    const command: Command = [...this.#command(), '--json', '--outputFile', file, '--', ...tests];
    const { how, output } = await checkout.run(command, LONGEST_MS, signal);
    if (how === 'stopped') return {};
    if (!existsSync(file)) throw new Error(`Jest does not run in ${checkout.root}:\n${output}`);
    const { testResults }: JestReport = JSON.parse(readFileSync(file, 'utf8'));
    const times = testResults.map(({ name, status, startTime, endTime }): [string, number | 'failed'] => [
      relative(checkout.root, name).replaceAll('\\', '/'),
      status === 'failed' ? 'failed' : endTime - startTime,
    ]);
    checkout.clear();
    return Object.fromEntries(times);
  }

  #command(): Command {
    return [
      process.execPath,
      // As in `npm test`.
      '--max-semi-space-size=32',
      '--single-threaded-gc',
      'node_modules/jest/bin/jest.js',
      '--selectProjects',
      'sluice',
      'real time',
      '--runInBand',
      // What a test has left open would keep it for ever: no time of a processor passes.
      '--forceExit',
      '--cacheDirectory',
      this.#jest.cacheFolder,
      '--testSequencer',
      './packages/simulation/src/mutants/kills/shortest-first.mjs',
    ];
  }
}

/** What is read of Jest's report in JSON. */
interface JestReport {
  readonly testResults: readonly {
    readonly name: string;
    /** Not only `passed` is well: `focused` has also skipped tests. */
    readonly status: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

/** The first file that failed, and its first failure. */
export function firstFailureIn(output: string): string | undefined {
  const [, file] = /^FAIL .*?(packages\/\S+)/m.exec(output) ?? [];
  const [, title] = /^ {2}● (.+)$/m.exec(output) ?? [];
  return file && title ? `${file}: ${title}` : file;
}

function parted(tests: readonly string[]): string[][] {
  const count = Math.ceil(tests.length / FILES_PER_RUN);
  return Array.from({ length: count }, (_, i) => tests.slice(i * FILES_PER_RUN, (i + 1) * FILES_PER_RUN));
}
