import { TIMES } from '../redis-table.js';
import { figure } from '../table.js';
import type { KeptResults } from './kept-results.js';
import { type Column, cellsOf, figureOf } from './place.js';

/** What was aimed at for one measure. */
interface Aim {
  readonly measure: string;
  readonly aim: string;
  readonly subjects: readonly Subject[];
}

/** One figure of the measure. */
interface Subject {
  readonly name: string;
  readonly column: Column;
  readonly row: string;
  isReached(value: number, valueIn: (row: string) => number): boolean;
}

const LIMITS = ['fixed window', 'sliding window', 'token bucket'];
const WHERE = { 'own core': /server on a core of its own$/, 'any core': /on any core$/ };

const atMost =
  (most: number) =>
  (value: number): boolean =>
    value <= most;
const atLeast =
  (least: number) =>
  (value: number): boolean =>
    value >= least;

/** The same column of both kinds of tables over Redis. */
function overRedis(start: string, head: string, rows: readonly string[], isReached: Subject['isReached']): Subject[] {
  return Object.entries(WHERE).flatMap(([where, end]) =>
    rows.map((row) => ({
      name: `${row}, ${where}`,
      column: { section: 'redis', caption: new RegExp(`^${start}.*${end.source}`), head },
      row: `Sluice ${row}`,
      isReached,
    })),
  );
}

const allowed = (callers: number): string => `${callers} callers? at once, .* allowed; `;

const HTTP = new Map([
  ['Express', 'express-rate-limit'],
  ['Fastify', '@fastify/rate-limit'],
  ['Nest on Express', '@nestjs/throttler'],
  ['Nest on Fastify', '@nestjs/throttler'],
]);

function overHttp(hosts: Iterable<string>, isReached: (host: string) => Subject['isReached']): Subject[] {
  return [...hosts].map((host) => ({
    name: host,
    column: {
      section: 'http',
      caption: new RegExp(`^${host}, .* by address .*, allowed$`),
      head: 'more than the bare route',
    },
    row: 'Sluice',
    isReached: isReached(host),
  }));
}

function rare(start: string, what: string): Subject[] {
  const column = { section: 'rare', caption: new RegExp(`^Over Redis: ${start}`), head: 'p99, times' };
  return LIMITS.map((limit) => ({ name: `${limit}, ${what}`, column, row: `Sluice ${limit}`, isReached: atMost(1.5) }));
}

function inProcess(caption: RegExp, what: string, limits: readonly string[], most: number): Subject[] {
  const column = { section: 'in-process', caption, head: 'times a bare Map counter' };
  return limits.map((limit) => ({
    name: `${limit}, ${what}`,
    column,
    row: `Sluice ${limit}`,
    isReached: atMost(most),
  }));
}

const AIMS: readonly Aim[] = [
  {
    measure: 'Redis, one caller: p50, times the minimal script',
    aim: 'at most 1.2',
    subjects: overRedis(allowed(1), TIMES.p50, LIMITS, atMost(1.2)),
  },
  {
    measure: 'Redis, one caller: time in the command, times the minimal script',
    aim: 'at most 1.35',
    subjects: overRedis(allowed(1), TIMES.command, LIMITS, atMost(1.35)),
  },
  ...[64, 256].map(
    (callers): Aim => ({
      measure: `Redis, ${callers} callers: decisions, times the minimal script`,
      aim: 'at least 2.4; bucket 1.6',
      subjects: [
        ...overRedis(allowed(callers), TIMES.decisions, LIMITS.slice(0, 2), atLeast(2.4)),
        ...overRedis(allowed(callers), TIMES.decisions, LIMITS.slice(2), atLeast(1.6)),
      ],
    }),
  ),
  {
    measure: 'Redis, three limits in one decision: p50, times one sliding window',
    aim: 'at most 1.3',
    subjects: Object.entries(WHERE).map(([where, end]) => ({
      name: where,
      column: { section: 'redis', caption: new RegExp(`^Three limits in one.*${end.source}`), head: 'p50' },
      row: '1 caller at once',
      isReached: atMost(1.3),
    })),
  },
  {
    measure: 'Redis, first calls and rare calls: p99, times the minimal script',
    aim: 'at most 1.5',
    subjects: [...rare('the first', 'first 100'), ...rare('one call', 'in 100 ms')],
  },
  {
    measure: 'One hot key that processes share, leased, 64 callers: µs of the caller’s processor',
    aim: 'at most 0.7',
    subjects: [
      {
        name: 'leased',
        column: { section: 'shared-key', caption: /^One process, 64 callers/, head: "µs of the caller's processor" },
        row: 'Sluice, leased',
        isReached: atMost(0.7),
      },
    ],
  },
  {
    measure: 'HTTP, allowed, by address behind a proxy: µs more than the bare route',
    aim: 'at most the peer’s',
    subjects: overHttp(HTTP.keys(), (host) => (value, valueIn) => value <= valueIn(HTTP.get(host) ?? '')),
  },
  {
    measure: 'The same, beside a Map counter with the same fields',
    aim: 'at most 1.2 times',
    subjects: overHttp(['Express', 'Fastify'], () => (value, valueIn) => value <= 1.2 * valueIn('bare Map counter')),
  },
  {
    measure: 'Bytes that an admitted request allocates, in the half that frameworks share',
    aim: 'at most 1,300',
    subjects: [
      {
        name: 'all fields',
        column: { section: 'admission', caption: /, allowed$/, head: 'bytes allocated' },
        row: 'Sluice',
        isReached: atMost(1_300),
      },
    ],
  },
  {
    measure: 'In process, one hot key, fresh strings: time, times a Map counter',
    aim: 'at most 1',
    subjects: inProcess(/^One hot key, allowed; a fresh/, 'allowed', LIMITS, 1),
  },
  {
    measure: 'In process, many keys: time, times a Map counter',
    aim: 'at most 0.5',
    subjects: [
      ...inProcess(/keys, one as often as another$/, '100,000 keys', LIMITS, 0.5),
      ...inProcess(/keys by Zipf's law/, '1,000,000 by Zipf’s law', LIMITS, 0.5),
    ],
  },
];

/** A line for each aim whose figures were kept. */
export function aimLines(results: KeptResults): string[] {
  return AIMS.flatMap(({ measure, aim, subjects }) => {
    const texts = subjects.flatMap((subject) => textOf(subject, results));
    return texts.length > 0 ? [`- ${measure} (aim: ${aim}): ${texts.join('; ')}`] : [];
  });
}

/** None if the figure was not kept. */
function textOf({ name, column, row, isReached }: Subject, results: KeptResults): string[] {
  const cells = cellsOf(results, column);
  const valueIn = (other: string): number => figureOf(cells.get(other));
  const value = valueIn(row);
  if (Number.isNaN(value)) return [];
  return [`${name} ${isReached(value, valueIn) ? figure(value) : `${figure(value)} (**missed**)`}`];
}
