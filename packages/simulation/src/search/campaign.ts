import type { Crew } from './crew.js';
import type { Failure } from './failure.js';
import { FAULT_SET_NAMES } from './fault-sets.js';
import type { SeedResult, SeedRunOptions } from './seed-run.js';
import type { TapeFolder } from './tape-folder.js';
import { type CampaignPlan, count, newTotals, type Totals, type UnknownFailure } from './totals.js';

export interface CampaignOptions extends Omit<SeedRunOptions, 'met'> {
  /** The first seed, and the last one if there is one. */
  readonly from: number;
  readonly to?: number | undefined;
  /** When no further seed begins. */
  readonly seconds?: number | undefined;
  /** The same after a processor was busy with it for so long, with earlier pieces. */
  readonly processorSeconds?: number | undefined;
  /** The same after so many events, with those of earlier pieces. */
  readonly events?: number | undefined;
  /** The same when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the first unknown failure ends it. */
  readonly stops: boolean;
  /** It ends when all of these defects have been met, by their names. */
  readonly until?: readonly string[] | undefined;
  /** Names the code that is played. Default: none. */
  readonly version?: string | undefined;
  /** What earlier pieces of this campaign have shown. It begins after them. */
  readonly before?: Totals | undefined;
  /** Is called with what all pieces have shown: at the beginning, from time to time, and at the end. */
  readonly save?: ((totals: Totals) => void) | undefined;
  /** Where the tapes of failures are written. */
  readonly folder: TapeFolder;
  /** Called with each line of the report. */
  readonly say: (line: string) => void;
}

/** Those who play its seeds. */
export type Players = Pick<Crew, 'size' | 'run'>;

/** Returns what decides which tapes a campaign with these options plays. */
export function planOf(options: Pick<CampaignOptions, 'from' | 'faults' | 'isWhole' | 'codes'>): CampaignPlan {
  const { from, faults = 'drawn', isWhole = false, codes = 1 } = options;
  return { from, faults, isWhole, codes };
}

const PROGRESS_EVERY_MS = 10_000;

/**
 * Plays seed after seed, until the time or the number of events is over. Says what it finds, and returns it.
 *
 * @throws what keeps it from going on, after it has said what it found
 */
export async function runCampaign(crew: Players, options: CampaignOptions): Promise<Totals> {
  const campaign = new Campaign(options);
  const ends = await Promise.allSettled(Array.from({ length: crew.size }, () => campaign.work(crew)));
  campaign.close();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return campaign.totals;
}

class Campaign {
  readonly totals: Totals;
  readonly #options: CampaignOptions;
  /** What those who play need to know: it may go to another thread. */
  readonly #runOptions: SeedRunOptions;
  readonly #version: string;
  readonly #beganMs = performance.now();
  readonly #beganUsage = process.cpuUsage();
  /** What earlier pieces have shown. */
  readonly #before: Pick<Totals, 'events' | 'seconds' | 'processorSeconds'>;
  /** What was found by seeds after one that is still being played. Seeds are counted in their order. */
  readonly #early = new Map<number, SeedResult>();
  #saidMs = performance.now();
  #next: number;
  /** Whether this piece has met an unknown failure. */
  #hasFailed = false;
  /** Whether something keeps it from going on. */
  #isBroken = false;

  constructor(options: CampaignOptions) {
    const { shrinkMs, faults, codes, known = [], isWhole = false, before, version = '' } = options;
    this.#options = options;
    this.#version = version;
    this.#runOptions = {
      shrinkMs,
      known,
      isWhole,
      ...(faults !== undefined && { faults }),
      ...(codes !== undefined && { codes }),
    };
    this.totals = structuredClone(before) ?? newTotals(planOf(options));
    const { events, seconds, processorSeconds } = this.totals;
    this.#before = { events, seconds, processorSeconds };
    this.#next = this.totals.next;
    this.#save();
  }

  get #unknown(): readonly UnknownFailure[] {
    return Object.values(this.totals.unknown);
  }

  get #isOver(): boolean {
    const { to, seconds, processorSeconds, events, stops, signal, until } = this.#options;
    return (
      this.#isBroken ||
      until?.every((name) => this.totals.met[name]) === true ||
      (to !== undefined && this.#next > to) ||
      (seconds !== undefined && this.#elapsedMs >= seconds * 1000) ||
      (processorSeconds !== undefined && this.totals.processorSeconds >= processorSeconds) ||
      (events !== undefined && this.totals.events >= events) ||
      (stops && this.#hasFailed) ||
      signal?.aborted === true
    );
  }

  get #elapsedMs(): number {
    return performance.now() - this.#beganMs;
  }

  async work(crew: Players): Promise<void> {
    try {
      while (!this.#isOver) {
        this.#next += 1;
        this.#add(await crew.run(this.#next - 1, { ...this.#runOptions, met: Object.keys(this.totals.met) }));
      }
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  /** Says what was found in all. */
  close(): void {
    // A seed before these was never played to its end: they count for nothing, but what they found must not be lost.
    for (const [seed, { failure }] of this.#early) if (failure) this.#found(seed, failure);
    try {
      this.#save();
    } finally {
      this.#sayAll();
    }
  }

  #sayAll(): void {
    const { say } = this.#options;
    for (const line of this.#table()) say(line);
    const known = Object.entries(this.totals.known).sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [name, times] of known) say(`known defect ${name}: ${times}, ${this.#firstOf(name)}`);
    for (const { invariant, times, version, file } of this.#unknown) {
      const where = version === this.#version ? '' : ` in the code of ${version}`;
      say(`unknown failure of ${invariant}${where}: ${times}, ${file}`);
    }
    const failures = `${this.#unknown.length} unknown failures, ${known.length} known defects met`;
    if (this.#before.events > 0) say(`this piece: ${number(this.totals.events - this.#before.events)} events`);
    const versions = Object.entries(this.totals.versions);
    if (versions.length > 1) for (const [name, events] of versions) say(`code of ${name}: ${number(events)} events`);
    say(`simulation: ${this.#figures()}; ${failures}`);
  }

  #firstOf(name: string): string {
    const first = this.totals.met[name];
    return first ? `first by seed ${first.seed} after ${number(first.seconds)} s of a processor, ${first.file}` : '';
  }

  #add(result: SeedResult): void {
    this.#early.set(result.seed, result);
    const { user, system } = process.cpuUsage(this.#beganUsage);
    this.totals.processorSeconds = this.#before.processorSeconds + (user + system) / 1e6;
    for (let next: SeedResult | undefined; ; ) {
      next = this.#early.get(this.totals.next);
      if (!next) break;
      this.#early.delete(next.seed);
      count(this.totals, next, this.#version, (seed, failure) => this.#found(seed, failure));
    }
    if (performance.now() - this.#saidMs >= PROGRESS_EVERY_MS) {
      this.#saidMs = performance.now();
      this.#save();
      this.#options.say(this.#figures());
    }
  }

  #save(): void {
    this.totals.seconds = this.#before.seconds + this.#elapsedMs / 1000;
    this.#options.save?.(this.totals);
  }

  /** Keeps the tape of a failure, and tells it if nobody knows it. */
  #found(seed: number, failure: Failure): string {
    const { say, folder } = this.#options;
    const { invariant, story, defect } = failure;
    const file = folder.keep(`${defect ?? invariant}-seed-${seed}`, failure);
    if (defect === undefined) {
      this.#hasFailed = true;
      for (const line of ['', `Seed ${seed} breaks ${invariant}. Its tape: ${file}`, story, '']) say(line);
    }
    return file;
  }

  #figures(): string {
    const { seeds, calls, events, seconds } = this.totals;
    const figures = [`${number(seeds)} seeds`, `${number(calls)} calls`, `${number(events)} events`];
    return `${figures.join(', ')} in ${number(seconds)} s (${number(events / seconds)} events a second)`;
  }

  #table(): readonly string[] {
    const rows = FAULT_SET_NAMES.flatMap((name) => {
      const row = this.totals.rows[name];
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
