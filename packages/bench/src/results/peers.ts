import { HOSTS } from '../contenders/http/index.js';
import { OUTCOME_NAMES } from '../contenders/http/outcomes.js';
import { TIMES } from '../redis-table.js';
import { type Cell, figure, type Table } from '../table.js';
import { firstCalls, IN_PROCESS_LOADS, inProcess, of, overHttp, overRedis, rareCalls } from './columns.js';
import type { KeptResults } from './kept-results.js';
import { type Column, cellsOf, figureOf, overlap } from './place.js';

/** A figure that Sluice and its peers have. */
interface Measure {
  readonly name: string;
  readonly column: Column;
  /**
   * A column of intervals of many rounds: where those of Sluice and of a peer overlap, none of them is ahead. Absent for what few processes
   * have shown: the interval of so few goes from the least to the most, and nearly always overlaps.
   */
  readonly intervals?: Column;
  /** Default: less is better. */
  readonly isMoreBetter?: boolean;
}

const MEASURES: readonly Measure[] = [
  ...IN_PROCESS_LOADS.map((load) => ({
    name: `In process, ${load}: ns`,
    column: inProcess(load, 'ns of the processor'),
  })),
  { name: 'Bytes that a decision allocates', column: of('allocation', 'hot key, allowed') },
  { name: 'Bytes for each key that is remembered', column: of('live-keys', 'bytes per key') },
  { name: 'Longest stall while a million keys expire: ms of the processor', column: of('expiry', 'in processor time') },
  {
    name: 'Redis, one caller: wait (p50), µs',
    column: overRedis(1, 'pinned', 'p50, µs'),
    intervals: overRedis(1, 'pinned', TIMES.p50),
  },
  {
    name: 'Redis, one caller: Redis’ processor, µs',
    column: overRedis(1, 'pinned', "µs of Redis' processor"),
    intervals: overRedis(1, 'pinned', TIMES.processor),
  },
  { name: 'Redis, one caller: the caller’s processor, µs', column: overRedis(1, 'pinned', "µs of the caller's") },
  ...[64, 256].map((callers) => ({
    name: `Redis, ${callers} callers: decisions a second, times a minimal script`,
    column: overRedis(callers, 'pinned', TIMES.decisions),
    isMoreBetter: true,
  })),
  { name: 'Redis, first 100 calls of a process: p50, µs', column: firstCalls('p50, µs') },
  { name: 'Redis, first 100 calls of a process: p99, µs', column: firstCalls('p99, µs') },
  { name: 'Redis, one call in 100 ms: p50, µs', column: rareCalls('p50, µs') },
  ...OUTCOME_NAMES.flatMap((outcome) =>
    [...HOSTS.keys()].map((host) => ({
      name: `${host}, ${outcome}: µs for a request`,
      column: overHttp(host, outcome),
      intervals: overHttp(host, outcome),
    })),
  ),
];

/** The names of rows, the first of which a table has. Over HTTP, Sluice has its default alone. */
const OURS = {
  'Sluice (sliding window)': ['Sluice sliding window', 'Sluice'],
  'Sluice, fixed window': ['Sluice fixed window'],
};
/** The Redis store of express-rate-limit has a name of its own. */
const PEERS = {
  'express-rate-limit': ['express-rate-limit', 'rate-limit-redis'],
  'rate-limiter-flexible': ['rate-limiter-flexible'],
  '@fastify/rate-limit': ['@fastify/rate-limit'],
  '@nestjs/throttler': ['@nestjs/throttler'],
};

const NO_RANGES: ReadonlyMap<string, Cell> = new Map();

/** Within this share of each other, figures are about the same. */
const EVEN = 0.1;

/** Sluice's default beside each peer: a row for each measure that was kept. */
export function peerTable(results: KeptResults): Table {
  return {
    caption: 'Sluice beside its peers',
    head: ['', ...Object.keys(OURS), ...Object.keys(PEERS)],
    rows: MEASURES.flatMap((measure) => rowOf(measure, results)),
  };
}

function rowOf({ name, column, intervals, isMoreBetter = false }: Measure, results: KeptResults): Cell[][] {
  const cells = cellsOf(results, column);
  const ranges = intervals ? cellsOf(results, intervals) : NO_RANGES;
  const rowIn = (rows: readonly string[]): string => rows.find((row) => cells.has(row)) ?? '';
  const figureIn = (rows: readonly string[]): number => figureOf(cells.get(rowIn(rows)));
  const ownRow = rowIn(OURS['Sluice (sliding window)']);
  const own = figureOf(cells.get(ownRow));
  if (Number.isNaN(own)) return [];
  const cellOf = (row: string): string => {
    const value = figureOf(cells.get(row));
    if (Number.isNaN(value)) return '';
    const [peer, sluice] = isMoreBetter ? [own, value] : [value, own];
    // Limiting may add less than nothing: a refusal skips the handler.
    const times = peer > 0 && sluice > 0 ? ` (${figure(peer / sluice)})` : '';
    const text = `${figure(value)}${times}`;
    const isAhead = peer < sluice - EVEN * Math.abs(sluice) && !overlap(ranges, ownRow, row);
    return isAhead ? `**${text}**` : text;
  };
  const fixed = figureIn(OURS['Sluice, fixed window']);
  const peers = Object.values(PEERS).map((rows) => cellOf(rowIn(rows)));
  return [[name, own, Number.isNaN(fixed) ? '' : fixed, ...peers]];
}
