import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { Checker } from './checker.js';
import { happen, keysOf } from './faults.js';
import { MOST_PER_HOUR, type Quantity, risesOf, type Sample, tooFast } from './growth.js';
import { Load } from './load.js';
import { MODES, type Mode, type ModeName, policyFile, promisedBy, QUOTA, SMALLER_QUOTA, WINDOW_MS } from './modes.js';
import { WatchedProcess } from './watched-process.js';

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

/** The mean time between two changes of the policy files. One of so many is a mistake, which must change nothing. */
const RELOAD_EVERY_MS = 15_000;
const RELOADS_PER_MISTAKE = 5;

/** How often it is looked at what the programs have, and how long after a fault at the earliest. */
const SAMPLE_EVERY_MS = 60_000;
const SAMPLES_PER_RUN = 4;
const CALM_MS = 2000;

/** How often a row is printed: each hour, or six times in a run of less than two hours. */
const HOUR_MS = 3_600_000;
const ROWS_OF_SHORT_RUN = 6;

/** How often a mode is asked until it decides as without faults. */
const TRIES_OF_RETURN = 10;

/** A run with more ends: it has shown that something is wrong. */
const MOST_FAILURES = 100;

const names = Object.keys(MODES) as ModeName[];
const reloading = names.filter((name) => (MODES[name] as Mode).reloads);

/** Servers of Express and Fastify and the decision service over two Redis servers, under load and faults. */
export class Soak {
  readonly #options: SoakOptions;
  readonly #random: () => number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-soak-'));
  readonly #checker = new Checker(WINDOW_MS, (counter, losses) => {
    const mode: Mode = MODES[counter.split(' ')[0] as ModeName];
    return promisedBy(mode, losses.filter(({ server }) => server < mode.servers).length);
  });
  readonly #samples: Sample[] = [];
  readonly #faults: Record<string, number> = {};
  readonly #failures: string[] = [];
  #servers: readonly RedisServer[] = [];
  #processes: readonly WatchedProcess[] = [];
  #load: Load | undefined;
  #startMs = 0;
  #endMs = 0;
  #reloads = 0;
  #cpuMs = 0;

  constructor(options: SoakOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
  }

  /** Runs to the end, prints what was seen, and resolves with what is wrong. */
  async run(): Promise<readonly string[]> {
    try {
      await this.#start();
      const { forMs, rate } = this.#options;
      this.#startMs = performance.now();
      this.#endMs = this.#startMs + forMs;
      const load = new Load(this.#processes, this.#checker, this.#random);
      this.#load = load;
      await Promise.all([load.run(rate, () => this.#isOver), this.#happenings(), this.#reloading()]);
      const endMs = performance.now();
      await this.#returned(load);
      return await this.#results(load, endMs);
    } finally {
      await Promise.all([...this.#processes, ...this.#servers].map((each) => each.stop()));
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  get #isOver(): boolean {
    const { signal } = this.#options;
    const failed = this.#failures.length + (this.#load?.failures.length ?? 0);
    return signal.aborted || performance.now() >= this.#endMs || failed > MOST_FAILURES;
  }

  async #start(): Promise<void> {
    this.#writePolicies(QUOTA);
    this.#servers = await RedisServer.startAll(2);
    const { programs } = this.#options;
    const ports = this.#servers.map(({ port }) => `${port}`);
    const app = (name: 'express' | 'fastify') =>
      WatchedProcess.start(name, [join(programs, 'app.mjs'), name, this.#policyPath, ...ports]);
    const free = ['--port', '0', '--grpc-port', '0', '--admin-port', '0'];
    const counters = ['--store', `redis://127.0.0.1:${ports[0]}`, '--store-prefix', 'service:'];
    const service = WatchedProcess.start(
      'service',
      [join(programs, 'service.mjs'), this.#policyPath, ...free, ...counters],
      {
        SLUICE_SECRET: '00112233445566778899aabbccddeeff',
      },
    );
    const started = await Promise.allSettled([app('express'), app('fastify'), service]);
    this.#processes = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    for (const each of started) if (each.status === 'rejected') throw each.reason;
  }

  get #policyPath(): string {
    return join(this.#folder, 'sluice.yaml');
  }

  /** Puts a whole file in place of the last one, as editors do. */
  #writePolicies(quota: number, mistake = ''): void {
    const written = join(this.#folder, 'next.yaml');
    writeFileSync(written, policyFile(reloading, quota) + mistake);
    renameSync(written, this.#policyPath);
  }

  async #reloading(): Promise<void> {
    const everyMs = Math.min(RELOAD_EVERY_MS, this.#options.forMs / 8);
    while (await this.#waits(2 * this.#random() * everyMs)) {
      this.#reloads += 1;
      const quota = this.#reloads % 2 === 0 ? QUOTA : SMALLER_QUOTA;
      this.#writePolicies(quota, this.#reloads % RELOADS_PER_MISTAKE === 0 ? 'policies: of two kinds\n' : '');
    }
    this.#writePolicies(QUOTA);
  }

  /** Faults and samples, one after another: what a program has during a fault says nothing about its growth. */
  async #happenings(): Promise<void> {
    const { forMs, print } = this.#options;
    const faultMs = Math.min(FAULT_EVERY_MS, forMs / SAMPLES_PER_RUN / 2);
    const sampleMs = Math.min(SAMPLE_EVERY_MS, forMs / SAMPLES_PER_RUN);
    let nextSampleMs = performance.now() + sampleMs;
    const rowMs = forMs < 2 * HOUR_MS ? forMs / ROWS_OF_SHORT_RUN : HOUR_MS;
    let nextRowMs = performance.now() + rowMs;
    while (await this.#waits(-Math.log(1 - this.#random()) * faultMs)) {
      const fault = await happen(this.#servers, this.#random, Math.min(LONGEST_FAULT_MS, forMs * MOST_FAULTY_PART));
      this.#faults[fault.name] = (this.#faults[fault.name] ?? 0) + 1;
      if (fault.losesKeys) this.#checker.lost(fault);
      this.#checker.forget(performance.now());
      if (performance.now() < nextSampleMs) continue;
      await pause(Math.min(CALM_MS, forMs * MOST_FAULTY_PART));
      await this.#sample();
      nextSampleMs += sampleMs;
      if (performance.now() < nextRowMs) continue;
      print(this.#row());
      nextRowMs += rowMs;
    }
  }

  /** Resolves with whether the run goes on after a pause. */
  async #waits(ms: number): Promise<boolean> {
    await pause(Math.max(0, Math.min(ms, this.#endMs - performance.now())), undefined, {
      signal: this.#options.signal,
    }).catch(() => {});
    return !this.#isOver;
  }

  async #sample(): Promise<void> {
    const note = (of: string, quantity: Quantity, value: number): void => {
      this.#samples.push({ atMs: performance.now(), of, quantity, value });
    };
    const ended = this.#processes.flatMap(({ failure }) => failure ?? []);
    if (ended.length > 0) throw new Error(ended.join('\n'));
    this.#cpuMs = 0;
    for (const process of this.#processes) {
      const { heapMb, handles, timers, cpuMs } = await process.usage();
      note(process.name, 'heapMb', heapMb);
      note(process.name, 'handles', handles);
      note(process.name, 'timers', timers);
      this.#cpuMs += cpuMs;
    }
    let sum = 0;
    for (const server of this.#servers) {
      const { keys, endless } = await keysOf(server);
      sum += keys;
      if (endless > 0) this.#failures.push(`${endless} keys of Redis have no end`);
    }
    note('redis', 'keys', sum);
  }

  /** What everything has now. */
  #row(): string {
    const last = new Map(this.#samples.map((sample) => [`${sample.of} ${sample.quantity}`, sample.value]));
    const now = (of: string, quantity: Quantity): number => last.get(`${of} ${quantity}`) ?? 0;
    const processes = this.#processes.map(
      ({ name }) =>
        `${name} ${now(name, 'heapMb').toFixed(1)} MB, ${now(name, 'handles')} handles, ${now(name, 'timers')} timers`,
    );
    const { admitted = 0, refused = 0, unavailable = 0 } = this.#load?.answers ?? {};
    const answers = `${admitted + refused + unavailable} answers`;
    return `soak: after ${timeOf(performance.now() - this.#startMs)}: ${[...processes, `${now('redis', 'keys')} keys`, answers].join('; ')}`;
  }

  /** When all faults are over, each mode decides again as it did before, about keys that are new. */
  async #returned(load: Load): Promise<void> {
    for (const name of names) {
      const { isExact, countsIn } = MODES[name] as Mode;
      const isReturned = (admitted: readonly number[]): boolean => {
        const counts = countsIn === 'process' ? admitted : [admitted.reduce((sum, count) => sum + count, 0)];
        return counts.every((count) => (isExact ? count === QUOTA : count > 0));
      };
      let tries = 1;
      while (!isReturned(await load.burst(name, `return-${tries}`, 2 * QUOTA))) {
        if (tries === TRIES_OF_RETURN) this.#failures.push(`${name} does not decide as before the faults`);
        if (tries === TRIES_OF_RETURN) break;
        tries += 1;
        await pause(500);
      }
    }
  }

  async #results(load: Load, endMs: number): Promise<readonly string[]> {
    const { print, rate, seed } = this.#options;
    await this.#sample();
    print(this.#row());
    const { admitted, refused, unavailable } = load.answers;
    print(
      `soak: ${timeOf(endMs - this.#startMs)} at ${rate} requests a second, seed ${seed}: ${admitted} admitted, ${refused} refused, ${unavailable} refused without a store, ${load.failures.length} failed; the slowest answer took ${Math.round(load.slowestMs)} ms`,
    );
    const faults = Object.entries(this.#faults).map(([name, count]) => `${count} × ${name}`);
    print(`soak: faults: ${faults.join(', ')}; ${this.#reloads} changes of the policy files`);
    print(
      `soak: ${this.#checker.excesses.length} windows above what is promised; the most that was used of a promise is ${(100 * this.#checker.mostUsed).toFixed(0)} %`,
    );
    print(`soak: the servers took ${(this.#cpuMs / (performance.now() - this.#startMs)).toFixed(3)} of a processor`);
    const rises = risesOf(this.#samples, this.#startMs, endMs);
    const risen = rises.map(
      ({ of, quantity, perHour, error }) => `${of} ${quantity} ${perHour.toFixed(2)} ± ${error.toFixed(2)}`,
    );
    print(`soak: rise in an hour: ${risen.length > 0 ? risen.join('; ') : 'not judged, since the run is too short'}`);
    return [
      ...this.#failures,
      ...load.failures.slice(0, 20),
      ...this.#checker.excesses.map(
        ({ counter, admitted: count, promised, requests }) =>
          `${counter}: ${count} admitted in a window, promised ${promised}: ${JSON.stringify(requests)}`,
      ),
      ...tooFast(rises).map(
        ({ of, quantity, perHour }) =>
          `${quantity} of ${of} rises by ${perHour.toFixed(2)} in an hour, above ${MOST_PER_HOUR[quantity]}`,
      ),
    ];
  }
}

function timeOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 5) return `${Math.round(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
