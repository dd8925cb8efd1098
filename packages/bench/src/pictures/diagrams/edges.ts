import {
  boundOf,
  createLimiter,
  fixedWindow,
  type Limit,
  leakyBucket,
  MemoryStore,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { codeOf, madeBy } from '../code.js';
import { legend, sheet, text } from './sheet.js';

const LIMIT = { limit: 10, window: '10s' } as const;
const WINDOW_MS = 10_000;

/** Ten a window by every algorithm. */
const LIMITS: readonly Limit[] = [
  madeBy(fixedWindow, { ...LIMIT, align: 'clock' }),
  madeBy(slidingWindow, LIMIT),
  madeBy(slidingWindowLog, LIMIT),
  madeBy(slidingWindowCounter, LIMIT),
  madeBy(tokenBucket, { capacity: 10, refillRate: 1 }),
  madeBy(leakyBucket, { capacity: 10, leakRate: 1 }),
];

/** Twenty requests in the second before the window's edge at 10 s, twenty in the second after it, and twenty later. */
const BURSTS_MS = [9000, 10_000, 21_000];
const STEP_MS = 50;
const PER_BURST = 20;
const SECONDS = 32;

interface Fates {
  readonly handledMs: readonly number[];
  readonly lateMs: readonly number[];
  readonly refusedMs: readonly number[];
}

function play(limit: Limit): Fates {
  const clock = new ManualClock(0);
  const limiter = createLimiter({ limit, keyGenerator: () => 'all', store: new MemoryStore({ clock }) });
  const fates = { handledMs: [] as number[], lateMs: [] as number[], refusedMs: [] as number[] };
  for (const startMs of BURSTS_MS) {
    for (let i = 0; i < PER_BURST; i += 1) {
      const atMs = startMs + i * STEP_MS;
      clock.set(atMs);
      const { allowed, delayMs } = limiter.consume('');
      if (!allowed) fates.refusedMs.push(atMs);
      else if (delayMs > 0) fates.lateMs.push(atMs + delayMs);
      else fates.handledMs.push(atMs);
    }
  }
  return fates;
}

/** The window of ten seconds in which most requests were handled, and how many. */
function worstOf({ handledMs, lateMs }: Fates): { readonly startMs: number; readonly count: number } {
  const all = [...handledMs, ...lateMs].sort((a, b) => a - b);
  const within = all.map((startMs) => ({
    startMs,
    count: all.filter((ms) => ms >= startMs && ms < startMs + WINDOW_MS).length,
  }));
  return within.reduce((most, each) => (each.count > most.count ? each : most), { startMs: 0, count: 0 });
}

const LEFT = 40;
const SECOND = 20;
const UNIT = 2.5;
const HALF_MS = 500;
const ROW = 104;
const HEAD = 66;

/** Draws what each algorithm does around the edge of a window, and in which ten seconds most requests were handled. */
export function drawEdges(): string {
  const rows = LIMITS.map((limit) => ({ limit, fates: play(limit) }));
  const body = rows.flatMap(({ limit, fates }, i) => drawRow(limit, fates, HEAD + i * ROW));
  const foot = HEAD + rows.length * ROW;
  return sheet({
    title: 'Ten in ten seconds: three bursts of 20, two of them around the edge of a window at 10 s',
    description: rows.map(({ limit, fates }) => `${codeOf(limit)}: ${sumOf(limit, fates)}.`).join(' '),
    height: foot + 12,
    body: [
      legend(40, {
        now: 'handled at once',
        late: 'handled after a wait',
        refused: 'refused',
        band: 'the ten seconds with most of them',
      }),
      ...body,
    ],
  });
}

function sumOf(limit: Limit, fates: Fates): string {
  return `${worstOf(fates).count} in ten seconds here, at most ${boundOf(limit, WINDOW_MS)}`;
}

function drawRow(limit: Limit, fates: Fates, top: number): string[] {
  const base = top + 52;
  const xOf = (ms: number): number => LEFT + (ms / 1000) * SECOND;
  const { startMs } = worstOf(fates);
  return [
    text(16, top + 12, codeOf(limit), 'code'),
    text(700, top + 12, sumOf(limit, fates), 'soft', 'end'),
    `<rect class="band" x="${xOf(startMs)}" y="${top + 20}" width="${(WINDOW_MS / 1000) * SECOND}" height="60"/>`,
    columns('now', countsOf(fates.handledMs), base, -1),
    columns('late', countsOf(fates.lateMs), base, -1, countsOf(fates.handledMs)),
    columns('refused', countsOf(fates.refusedMs), base, 1),
    `<path class="line" d="M${LEFT} ${base}H${LEFT + SECONDS * SECOND}"/>`,
    ...[0, 10, 20, 30].map(
      (second) =>
        `<path class="line" d="M${xOf(1000 * second)} ${base - 3}v6"/>${text(xOf(1000 * second), base + 42, `${second} s`, 'soft', 'middle')}`,
    ),
  ];
}

/** How many of these times are in each half of a second. */
function countsOf(timesMs: readonly number[]): number[] {
  const counts = Array<number>((SECONDS * 1000) / HALF_MS).fill(0);
  for (const ms of timesMs) counts[Math.floor(ms / HALF_MS)] = (counts[Math.floor(ms / HALF_MS)] ?? 0) + 1;
  return counts;
}

function columns(
  style: string,
  counts: readonly number[],
  base: number,
  direction: 1 | -1,
  below: readonly number[] = [],
): string {
  const width = SECOND / 2;
  const path = counts
    .map((count, i) => {
      if (count === 0) return '';
      const from = base + direction * UNIT * (below[i] ?? 0);
      return `M${LEFT + i * width + 0.5} ${from}v${direction * UNIT * count}h${width - 1}V${from}z`;
    })
    .join('');
  return path === '' ? '' : `<path class="${style}" d="${path}"/>`;
}
