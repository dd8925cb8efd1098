import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { Checker } from './checker.js';
import { injectFault } from './faults.js';
import { slopesOf, tooSeldom } from './growth.js';
import { Load } from './load.js';
import { MODES, type Mode, type ModeName, promisedBy, QUOTA, SMALLER_QUOTA, WINDOW_MS } from './modes.js';
import { PolicyFile, reloading } from './policy-file.js';
import { Programs } from './programs.js';
import { failuresOf, linesOf, rowOf, type SoakResult } from './report.js';
import { Samples } from './samples.js';

/** How a soak runs. */
interface SoakOptions {
  readonly forMs: number;
  /** Requests a second to all servers together. */
  readonly rate: number;
  readonly seed: number;
  /** Where the programs are. */
  readonly programs: string;
  readonly print: (line: string) => void;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** The mean time between two faults, and the longest that one of them lasts: less in a short run. */
const FAULT_EVERY_MS = 20_000;
const MOST_FAULTY_PART = 1 / 20;
const LONGEST_FAULT_MS = 5000;

/** The mean time between two changes of the policy file: less in a short run. */
const RELOAD_EVERY_MS = 15_000;
const RELOADS_PER_RUN = 8;

/** The time between two samples, and how long after a fault the earliest one is taken. */
const SAMPLE_EVERY_MS = 60_000;
const SAMPLES_PER_RUN = 4;
const CALM_MS = 2000;

/** A row is printed each hour, or six times in a run of less than two hours. */
const HOUR_MS = 3_600_000;
const ROWS_OF_SHORT_RUN = 6;

/** How often a mode is asked until it decides as without faults, and how long after each other. */
const TRIES_OF_RETURN = 50;
const RETURN_TRY_MS = 100;

/** A run with more failures ends: it has shown that something is wrong. */
const MOST_FAILURES = 100;

const modes = Object.keys(MODES) as ModeName[];

/** Servers of Express and Fastify and the decision service over two Redis servers, under load and faults. */
export class Soak {
  readonly #options: SoakOptions;
  readonly #random: () => number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-soak-'));
  readonly #policyFile = new PolicyFile(this.#folder);
  readonly #programs = new Programs();
  readonly #samples = new Samples(this.#programs);
  readonly #checker = new Checker(WINDOW_MS, (counter, losses) => {
    const mode: Mode = MODES[counter.split(' ')[0] as ModeName];
    return promisedBy(mode, losses.filter(({ server }) => server < mode.servers).length);
  });
  readonly #faults: Record<string, number> = {};
  readonly #failures: string[] = [];
  #startMs = 0;
  #endMs = 0;

  constructor(options: SoakOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
  }

  /** Runs to the end, prints what was seen, and resolves with what is wrong. */
  async run(): Promise<readonly string[]> {
    const { forMs, rate, programs } = this.#options;
    try {
      await this.#programs.start(programs, this.#policyFile.path);
      this.#startMs = performance.now();
      this.#endMs = this.#startMs + forMs;
      const load = new Load(this.#programs.processes, this.#checker, this.#random);
      const isOver = (): boolean => this.#isOver(load);
      await Promise.all([load.run(rate, isOver), this.#injectFaults(load), this.#changePolicies(isOver)]);
      const endMs = performance.now();
      await this.#checkReturn(load);
      await this.#checkFile(load);
      return await this.#report(load, endMs);
    } finally {
      await this.#programs.stop();
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  #isOver({ failures }: Load): boolean {
    const failed = this.#failures.length + this.#samples.failures.length + failures.length;
    return this.#options.signal.aborted || performance.now() >= this.#endMs || failed > MOST_FAILURES;
  }

  async #changePolicies(isOver: () => boolean): Promise<void> {
    const everyMs = Math.min(RELOAD_EVERY_MS, this.#options.forMs / RELOADS_PER_RUN);
    for (;;) {
      await this.#wait(2 * this.#random() * everyMs);
      if (isOver()) break;
      this.#policyFile.change();
    }
    this.#policyFile.set(QUOTA);
  }

  /** Faults and samples, one after another: what a program has during a fault says nothing about its growth. */
  async #injectFaults(load: Load): Promise<void> {
    const { forMs } = this.#options;
    const { servers } = this.#programs;
    const everyMs = Math.min(FAULT_EVERY_MS, forMs / SAMPLES_PER_RUN / 2);
    const sampleMs = Math.min(SAMPLE_EVERY_MS, forMs / SAMPLES_PER_RUN);
    let nextSampleMs = performance.now() + sampleMs;
    const rowMs = forMs < 2 * HOUR_MS ? forMs / ROWS_OF_SHORT_RUN : HOUR_MS;
    let nextRowMs = performance.now() + rowMs;
    for (;;) {
      await this.#wait(-Math.log(1 - this.#random()) * everyMs);
      if (this.#isOver(load)) return;
      const fault = await injectFault(servers, this.#random, Math.min(LONGEST_FAULT_MS, forMs * MOST_FAULTY_PART));
      this.#faults[fault.name] = (this.#faults[fault.name] ?? 0) + 1;
      if (fault.losesKeys) this.#checker.lost(fault);
      this.#checker.forget(performance.now());
      if (performance.now() < nextSampleMs) continue;
      await pause(Math.min(CALM_MS, forMs * MOST_FAULTY_PART));
      await this.#samples.take();
      nextSampleMs += sampleMs;
      if (performance.now() < nextRowMs) continue;
      this.#printRow(load);
      nextRowMs += rowMs;
    }
  }

  /** Pauses, at most until the run is over. */
  async #wait(ms: number): Promise<void> {
    const { signal } = this.#options;
    const leftMs = Math.min(ms, this.#endMs - performance.now());
    await pause(Math.max(0, leftMs), undefined, { signal }).catch(() => {});
  }

  /** When all faults are over, each mode has to decide as before, about keys that are new. */
  async #checkReturn(load: Load): Promise<void> {
    for (const name of modes) {
      if (await decidesAsBefore(name, load)) continue;
      this.#failures.push(`${name} does not decide as before the faults`);
    }
  }

  /** Modes with policies of a file decide by what it says. No bound shows that: a file that nobody reads again breaks none. */
  async #checkFile(load: Load): Promise<void> {
    for (const quota of [SMALLER_QUOTA, QUOTA]) {
      this.#policyFile.set(quota);
      for (const name of reloading) {
        if (await comesTo(name, load, `file-${quota}`, (counts) => counts[0] === quota)) continue;
        this.#failures.push(`${name} does not follow its file to a limit of ${quota}`);
      }
    }
  }

  #printRow({ answers }: Load): void {
    this.#options.print(rowOf(performance.now() - this.#startMs, this.#samples.text, answers));
  }

  async #report(load: Load, endMs: number): Promise<readonly string[]> {
    const { print, rate, seed } = this.#options;
    await this.#samples.take();
    this.#printRow(load);
    const result: SoakResult = {
      tookMs: endMs - this.#startMs,
      rate,
      seed,
      load,
      checker: this.#checker,
      faults: this.#faults,
      policyChanges: this.#policyFile.changes,
      processors: this.#samples.cpuMs / (performance.now() - this.#startMs),
      slopes: slopesOf(this.#samples.taken, this.#startMs, endMs),
      unjudged: tooSeldom(this.#samples.taken, this.#startMs, endMs),
      failures: [...this.#failures, ...this.#samples.failures],
    };
    for (const line of linesOf(result)) print(line);
    return failuresOf(result);
  }
}

function decidesAsBefore(name: ModeName, load: Load): Promise<boolean> {
  const { isExact }: Mode = MODES[name];
  const isBack = (count: number): boolean => (isExact ? count === QUOTA : count > 0);
  return comesTo(name, load, 'return', (counts) => counts.every(isBack));
}

/** Asks a mode about new keys until as many are admitted of each counter as have to be. Resolves with whether they were. */
async function comesTo(
  name: ModeName,
  load: Load,
  key: string,
  isRight: (counts: readonly number[]) => boolean,
): Promise<boolean> {
  const { countsIn }: Mode = MODES[name];
  for (let tries = 1; tries <= TRIES_OF_RETURN; tries += 1) {
    if (tries > 1) await pause(RETURN_TRY_MS);
    const admitted = await load.burst(name, `${key}-${tries}`, 2 * QUOTA);
    const counts = countsIn === 'process' ? admitted : [admitted.reduce((sum, count) => sum + count, 0)];
    if (isRight(counts)) return true;
  }
  return false;
}
