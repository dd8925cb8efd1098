import { interleaved } from './rounds.js';
import { ratios, spreadOf } from './spread.js';
import { figure, type Table } from './table.js';

/** The two checkouts that are compared. */
export type Side = 'now' | 'base';

/** One thing that is measured. Less is better. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
}

/** What both checkouts are measured for by one process each. */
export interface Measure {
  readonly figures: readonly Figure[];
  /** Starts a process with the code of a checkout, whose child program this is. */
  start(program: string): Promise<Started>;
}

interface Started {
  /** Returns a value for each figure. */
  round(): Promise<readonly number[]>;
  end(): Promise<unknown>;
}

/** What one figure was, round by round, for both checkouts. */
export type Rounds = Readonly<Record<Side, readonly number[]>>;

/** The base cannot start what is measured: it is older than that. */
export class MissingInBase extends Error {}

/** What a process is asked for in each round, of which the least counts: neighbours only ever add. */
const TRIES = 3;

/**
 * Compares both checkouts, and takes as many rounds again if a figure seems worse. Of fifty figures of the same code, one is
 * worse in five rounds by chance; in ten rounds, it is one of 2,500.
 *
 * @throws MissingInBase if only the process of the base does not start
 */
export async function compareBoth(
  measure: Measure,
  programs: Readonly<Record<Side, string>>,
  rounds: number,
): Promise<ReadonlyMap<Figure, Rounds>> {
  const first = await measureBoth(measure, programs, rounds);
  if (![...first.values()].some(isWorse)) return first;
  const second = await measureBoth(measure, programs, rounds);
  const joined = (figure: Figure, side: Side): readonly number[] =>
    [first, second].flatMap((results) => results.get(figure)?.[side] ?? []);
  return new Map(measure.figures.map((one) => [one, { now: joined(one, 'now'), base: joined(one, 'base') }]));
}

/**
 * Takes rounds of both checkouts in turn. Each round has two new processes, because the compiler may treat the same code
 * better in one process than in another.
 *
 * @throws MissingInBase if only the process of the base does not start
 */
export async function measureBoth(
  measure: Measure,
  programs: Readonly<Record<Side, string>>,
  rounds: number,
): Promise<ReadonlyMap<Figure, Rounds>> {
  const subject = (side: Side) => [side, () => leastOf(measure, programs[side], side)] as const;
  const results = await interleaved(rounds, new Map([subject('now'), subject('base')]));
  const of = (side: Side, figure: number): number[] =>
    (results.get(side) ?? []).map((values) => values[figure] as number);
  return new Map(measure.figures.map((figure, i) => [figure, { now: of('now', i), base: of('base', i) }]));
}

async function leastOf(measure: Measure, program: string, side: Side): Promise<readonly number[]> {
  const started = await measure.start(program).catch((error: unknown) => {
    throw side === 'base' ? new MissingInBase(reasonOf(error)) : error;
  });
  try {
    const tries: (readonly number[])[] = [];
    for (let i = 0; i < TRIES; i += 1) tries.push(await started.round());
    return measure.figures.map((_, figure) => Math.min(...tries.map((values) => values[figure] as number)));
  } finally {
    await started.end();
  }
}

/** The line of what a process printed that says why it ended. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : `${error}`;
  return /^\w*Error\b.*/m.exec(text)?.[0] ?? text.split('\n')[0] ?? '';
}

/**
 * Whether a figure got worse by more than its spread: it was worse in every round, and its median is above all that the
 * base gave.
 */
export function isWorse({ now, base }: Rounds): boolean {
  const isAlwaysWorse = now.every((value, round) => value > (base[round] as number));
  return isAlwaysWorse && spreadOf(now).median > Math.max(...base);
}

/** The table of a section, with a row for each of its figures. */
export function comparisonTable(
  caption: string,
  results: ReadonlyMap<Figure, Rounds>,
  notes: readonly string[] = [],
): Table {
  return {
    caption,
    head: ['', 'base', 'now', 'times the base', ''],
    rows: [...results].map(([{ name, unit }, rounds]) => [
      name,
      `${figure(spreadOf(rounds.base).median)} ${unit}`,
      `${figure(spreadOf(rounds.now).median)} ${unit}`,
      ratios(rounds.now, rounds.base),
      isWorse(rounds) ? '**worse**' : '',
    ]),
    notes,
  };
}
