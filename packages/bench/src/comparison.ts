import { interleaved, ratios, spreadOf } from './rounds.js';
import { figure, spread, type Table } from './table.js';

/** The two checkouts that are compared. */
export type Side = 'now' | 'base';

/** What one measure gave, round by round, for both checkouts. Less is better. */
export type Rounds = Readonly<Record<Side, readonly number[]>>;

/** One figure that both checkouts are measured for. Less is better. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  /** Starts a process with the code of a checkout, whose child program this is. */
  start(program: string): Promise<Started>;
}

export interface Started {
  round(): Promise<number>;
  end(): Promise<unknown>;
}

/** What a process is asked for in each round, of which the least counts: neighbours only ever add. */
const TRIES = 3;

/**
 * Takes rounds of both checkouts in turn. Each round has two new processes, because the compiler may treat the same code
 * better in one process than in another.
 */
export async function measureBoth(
  measure: Measure,
  programs: Readonly<Record<Side, string>>,
  rounds: number,
): Promise<Rounds> {
  const subject = (side: Side) => [side, () => leastOf(measure, programs[side])] as const;
  const results = await interleaved(rounds, new Map([subject('now'), subject('base')]));
  return { now: results.get('now') ?? [], base: results.get('base') ?? [] };
}

async function leastOf(measure: Measure, program: string): Promise<number> {
  const started = await measure.start(program);
  try {
    const values: number[] = [];
    for (let i = 0; i < TRIES; i += 1) values.push(await started.round());
    return Math.min(...values);
  } finally {
    await started.end();
  }
}

/**
 * Whether a figure got worse by more than its spread: it was worse in every round, and its median is above all that the
 * base gave.
 */
export function isWorse({ now, base }: Rounds): boolean {
  return ratios(now, base).least > 1 && spreadOf(now).median > spreadOf(base).most;
}

/** The table of a section, with a row for each of its measures. */
export function comparisonTable(caption: string, results: ReadonlyMap<Measure, Rounds>): Table {
  return {
    caption,
    head: ['', 'base', 'now', 'times the base', ''],
    rows: [...results].map(([{ name, unit }, rounds]) => [
      name,
      `${figure(spreadOf(rounds.base).median)} ${unit}`,
      `${figure(spreadOf(rounds.now).median)} ${unit}`,
      spread(ratios(rounds.now, rounds.base)),
      isWorse(rounds) ? '**worse**' : '',
    ]),
  };
}
