import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Crew } from './crew.js';
import { CAN_BE_PLAYED, type Failure } from './failure.js';
import { FAULT_SET_NAMES, type FaultSetName } from './fault-sets.js';
import { type KnownDefect, knownDefectOf } from './known-defects.js';
import type { SeedResult, SeedRunOptions } from './seed-run.js';
import { shapeOf } from './shape.js';

export interface CampaignOptions extends SeedRunOptions {
  /** The first seed, and the last one if there is one. */
  readonly from: number;
  readonly to?: number | undefined;
  /** When no further seed begins. */
  readonly seconds?: number | undefined;
  readonly events?: number | undefined;
  /** Whether the first unknown failure ends it. */
  readonly stops: boolean;
  readonly known: readonly KnownDefect[];
  /** Where the tapes of unknown failures are written. Default: the folder for temporary files. */
  readonly folder?: string | undefined;
  /** Called with each line of the report. */
  readonly say: (line: string) => void;
}

/** An unknown failure. All that break the same invariant with tapes of the same shape are one. */
export interface UnknownFailure extends Failure {
  readonly seed: number;
  readonly file: string;
  times: number;
}

export interface CampaignResult {
  readonly seeds: number;
  readonly events: number;
  readonly calls: number;
  readonly unknown: readonly UnknownFailure[];
  /** How often each known defect was met, by its name. */
  readonly known: ReadonlyMap<string, number>;
}

const PROGRESS_EVERY_MS = 10_000;

/** Plays seed after seed, until the time or the number of events is over. Says what it finds. */
export async function runCampaign(crew: Crew, options: CampaignOptions): Promise<CampaignResult> {
  const campaign = new Campaign(options);
  await Promise.all(Array.from({ length: crew.size }, () => campaign.work(crew)));
  campaign.close();
  return campaign;
}

interface Row {
  runs: number;
  events: number;
  known: number;
  unknown: number;
}

class Campaign implements CampaignResult {
  seeds = 0;
  events = 0;
  calls = 0;
  readonly known = new Map<string, number>();
  readonly #unknown = new Map<string, UnknownFailure>();
  readonly #rows = new Map<FaultSetName, Row>();
  readonly #options: CampaignOptions;
  /** What those who play need to know: it may go to another thread. */
  readonly #runOptions: SeedRunOptions;
  readonly #beganMs = performance.now();
  #saidMs = performance.now();
  #next: number;

  constructor(options: CampaignOptions) {
    const { shrinkMs, faults, codes, known, isWhole = false } = options;
    this.#options = options;
    this.#runOptions = {
      shrinkMs,
      known,
      isWhole,
      ...(faults !== undefined && { faults }),
      ...(codes !== undefined && { codes }),
    };
    this.#next = options.from;
  }

  get unknown(): readonly UnknownFailure[] {
    return [...this.#unknown.values()];
  }

  get #isOver(): boolean {
    const { to, seconds, events, stops } = this.#options;
    return (
      (to !== undefined && this.#next > to) ||
      (seconds !== undefined && this.#elapsedMs >= seconds * 1000) ||
      (events !== undefined && this.events >= events) ||
      (stops && this.#unknown.size > 0)
    );
  }

  get #elapsedMs(): number {
    return performance.now() - this.#beganMs;
  }

  async work(crew: Crew): Promise<void> {
    while (!this.#isOver) {
      this.#next += 1;
      this.#add(await crew.run(this.#next - 1, this.#runOptions));
    }
  }

  /** Says what was found in all. */
  close(): void {
    const { say } = this.#options;
    for (const line of this.#table()) say(line);
    for (const [name, count] of [...this.known].sort(([a], [b]) => (a < b ? -1 : 1)))
      say(`known defect ${name}: ${count}`);
    for (const { invariant, times, file } of this.unknown) say(`unknown failure of ${invariant}: ${times}, ${file}`);
    const failures = `${this.#unknown.size} unknown failures, ${this.known.size} known defects met`;
    say(`simulation: ${this.#figures()}; ${failures}`);
  }

  #add({ seed, faults, events, calls, failure }: SeedResult): void {
    this.seeds += 1;
    this.events += events;
    this.calls += calls;
    const row = this.#rowOf(faults);
    row.runs += 1;
    row.events += events;
    if (failure) this.#addFailure(seed, failure, row);
    if (performance.now() - this.#saidMs >= PROGRESS_EVERY_MS) {
      this.#saidMs = performance.now();
      this.#options.say(this.#figures());
    }
  }

  #rowOf(faults: FaultSetName): Row {
    const row = this.#rows.get(faults) ?? { runs: 0, events: 0, known: 0, unknown: 0 };
    this.#rows.set(faults, row);
    return row;
  }

  #addFailure(seed: number, failure: Failure, row: Row): void {
    const { invariant, tape } = failure;
    const known = invariant === CAN_BE_PLAYED ? undefined : knownDefectOf(invariant, tape, this.#options.known);
    if (known) {
      row.known += 1;
      this.known.set(known.name, (this.known.get(known.name) ?? 0) + 1);
      return;
    }
    row.unknown += 1;
    const kind = JSON.stringify([invariant, shapeOf(tape)]);
    const before = this.#unknown.get(kind);
    if (before) {
      before.times += 1;
      return;
    }
    const file = this.#write(seed, failure);
    this.#unknown.set(kind, { ...failure, seed, file, times: 1 });
    for (const line of ['', `Seed ${seed} breaks ${invariant}. Its tape: ${file}`, failure.story, ''])
      this.#options.say(line);
  }

  /** Writes a failure in the form of an entry of the list of known defects. */
  #write(seed: number, { invariant, says, tape, story }: Failure): string {
    const name = `${invariant}-seed-${seed}`;
    const file = join(this.#options.folder ?? tmpdir(), `${name}.json`);
    writeFileSync(file, `${JSON.stringify({ name, what: says, invariant, story, tape }, undefined, 2)}\n`);
    return file;
  }

  #figures(): string {
    const seconds = this.#elapsedMs / 1000;
    const figures = [`${number(this.seeds)} seeds`, `${number(this.calls)} calls`, `${number(this.events)} events`];
    return `${figures.join(', ')} in ${number(seconds)} s (${number(this.events / seconds)} events a second)`;
  }

  #table(): readonly string[] {
    const rows = FAULT_SET_NAMES.flatMap((name) => {
      const row = this.#rows.get(name);
      return row ? [[name, row.runs, row.events, row.known, row.unknown].map((cell) => cellText(cell))] : [];
    });
    const titles = ['faults', 'runs', 'events', 'known', 'unknown'];
    const widths = titles.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
    return [titles, ...rows].map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
    );
  }
}

function cellText(cell: string | number): string {
  return typeof cell === 'number' ? number(cell) : cell;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
