import { figure, type Table } from '../table.js';
import { ms, percent } from './figures.js';
import { HANDLERS, type HandlerName } from './handlers.js';
import type { Outcome } from './outcome.js';
import { isOf, kept, type Point, type Results, type Row } from './results.js';

const HEAD = [
  'at three times its capacity',
  'good, of what it gets at its capacity',
  'good answers',
  'p50',
  'p99',
  'critical',
  'normal',
  'low',
  'shed',
  'good at half load afterwards',
];

/** A table for each handler, without and with a quota. */
export function* tablesOf(results: Results): Generator<Table> {
  for (const isHeld of [false, true]) {
    for (const handler of Object.keys(HANDLERS) as HandlerName[]) {
      const rows = results.rows.filter(isOf(handler, isHeld));
      if (rows.length > 0) yield tableOf(handler, rows, results);
    }
  }
}

function tableOf(handler: HandlerName, rows: readonly Row[], results: Results): Table {
  const quota = rows[0]?.quota;
  const held = quota ? `, with 50 ms of the processor in each 100 ms (${quota})` : '';
  return {
    caption: `${handler}: ${HANDLERS[handler]}${held}`,
    head: HEAD,
    rows: rows.map((row) => cells(row, results)),
  };
}

function cells(row: Row, { rows }: Results): string[] {
  const { thrice, afterwards } = row;
  return [
    `${row.host}, ${row.protection}`,
    percent(kept(row, rows)),
    `${figure(thrice.goodPerSecond)} /s`,
    ms(thrice.p50Ms),
    ms(thrice.p99Ms),
    ...[thrice.goodOf.critical, thrice.goodOf.normal, thrice.goodOf.low, thrice.shed, afterwards.good].map(percent),
  ];
}

/** One line, for a reader who waits. */
export function lineOf(result: Row | Point): string {
  const at = ({ good, p99Ms, goodOf }: Outcome): string =>
    `${percent(good)} good, p99 ${ms(p99Ms)}, critical ${percent(goodOf.critical)}`;
  const subject = `${result.host}, ${result.handler}, ${result.protection}`;
  if ('times' in result) return `${subject}, ${result.times} x ${figure(result.capacity)} /s: ${at(result.outcome)}`;
  const held = result.quota ? `, held by ${result.quota}` : '';
  const { capacity, once, thrice, afterwards, lateP99Ms, processor } = result;
  return [
    `${subject}${held}, ${figure(capacity)} /s: ${at(once)}`,
    `at 3 x: ${figure(thrice.goodPerSecond / capacity)} of the capacity, ${at(thrice)}`,
    `afterwards ${percent(afterwards.good)} good`,
    `clients late by ${ms(lateP99Ms)}, ${percent(processor)} of a processor`,
  ].join('; ');
}
