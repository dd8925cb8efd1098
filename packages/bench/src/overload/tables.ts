import { spreadOf } from '../spread.js';
import { figure, type Table } from '../table.js';
import { printed } from './aims.js';
import { ms, percent } from './figures.js';
import { HANDLERS, type HandlerName } from './handlers.js';
import {
  isOf,
  keptOfIdeal,
  type Point,
  type RefusalCost,
  type Results,
  type Run,
  type Series,
  seriesOf,
  spreadAt,
} from './results.js';

const HEAD = [
  'times the capacity',
  'of the capacity',
  'of the ideal',
  'within 250 ms',
  'refused',
  'p50',
  'p99',
  'critical',
  'normal',
  'low',
];

/** Tables of what shedLoad does at all loads, beside its peers, and of what a refusal costs. */
export function* tablesOf(results: Results): Generator<Table> {
  for (const isHeld of [false, true]) {
    for (const handler of Object.keys(HANDLERS) as HandlerName[]) {
      const all = seriesOf(results).filter(isOf(handler, isHeld));
      if (all.length > 0) yield tableOf(handler, all, results);
    }
  }
  if (results.costs.length > 0) yield costTable(results.costs);
}

function tableOf(handler: HandlerName, all: readonly Series[], results: Results): Table {
  const quota = all[0]?.subject.quota;
  const held = quota ? `, with 50 ms of the processor in each 100 ms (${quota})` : '';
  return {
    caption: `${handler}: ${HANDLERS[handler]}${held}`,
    head: ['server', 'runs', ...HEAD],
    rows: all.flatMap((series) => rowsOf(series, results)),
  };
}

function rowsOf(series: Series, results: Results): string[][] {
  const { subject, runs } = series;
  const loads = [...new Set(runs.flatMap(({ points }) => points.map(({ times }) => times)))];
  return loads.map((times) => {
    const cell = (print: (value: number) => string, valueIn: (point: Point, run: Run) => number | null): string => {
      const spread = spreadAt(series, times, valueIn);
      return Number.isNaN(spread.median) ? '-' : printed(spread, print);
    };
    return [
      `${subject.host}, ${subject.protection}`,
      `${runs.length}`,
      `${times}`,
      cell(percent, ({ kept }) => kept),
      cell(percent, (point, run) => keptOfIdeal(point, run, results)),
      cell(percent, ({ outcome }) => outcome.soon),
      cell(percent, ({ outcome }) => outcome.shed),
      cell(ms, ({ outcome }) => outcome.p50Ms),
      cell(ms, ({ outcome }) => outcome.p99Ms),
      ...(['critical', 'normal', 'low'] as const).map((name) => cell(percent, ({ outcome }) => outcome.goodOf[name])),
    ];
  });
}

function costTable(costs: readonly RefusalCost[]): Table {
  const spreadOfHost = (host: string, valueIn: (cost: RefusalCost) => number): string =>
    printed(spreadOf(costs.filter((cost) => cost.host === host).map(valueIn)), figure);
  return {
    caption: 'processor time of a refusal, in microseconds',
    head: ['framework', 'its own 503', "shedLoad's", 'times its own'],
    rows: [...new Set(costs.map(({ host }) => host))].map((host) => [
      host,
      spreadOfHost(host, ({ ownMs }) => 1000 * ownMs),
      spreadOfHost(host, ({ shedLoadMs }) => 1000 * shedLoadMs),
      spreadOfHost(host, ({ ownMs, shedLoadMs }) => shedLoadMs / ownMs),
    ]),
  };
}

/** One line, for a reader who waits. */
export function lineOf(result: Run | RefusalCost): string {
  if ('ownMs' in result) {
    const { host, run, ownMs, shedLoadMs } = result;
    return `${host}, run ${run}: its own 503 takes ${figure(1000 * ownMs)} µs, shedLoad's ${figure(1000 * shedLoadMs)} µs`;
  }
  const { host, handler, protection, quota, run, points } = result;
  const loads = points.map((point) => {
    const { times, actualTimes, capacity, kept, outcome } = point;
    const { p99Ms, goodOf, shed } = outcome;
    return `${times} x (${figure(actualTimes)}) ${figure(capacity)} /s: ${percent(kept)}, ${percent(shed)} refused, p99 ${ms(p99Ms)}, critical ${percent(goodOf.critical)}`;
  });
  const late = Math.max(...points.map(({ lateP99Ms }) => lateP99Ms));
  const processor = Math.max(...points.map(({ clientProcessor }) => clientProcessor));
  return [
    `${host}, ${handler}, ${protection}${quota ? `, held by ${quota}` : ''}, run ${run}`,
    ...loads,
    `clients late by ${Math.round(late)} ms, ${percent(processor)} of a processor`,
  ].join('; ');
}
