import { BARE_SCRIPT } from './contenders/redis/index.js';
import type { RedisResult } from './redis-trial.js';
import { ratios, type Spread, spreadOf } from './spread.js';
import { rate, type Table } from './table.js';

/** The results of a round of each contender. */
export type RedisResults = ReadonlyMap<string, readonly RedisResult[]>;

/** The heads of the columns that compare with the minimal script. */
export const TIMES = {
  decisions: 'decisions, times the minimal script',
  p50: 'p50, times',
  command: 'in the command, times',
  processor: "Redis' processor, times",
} as const;

/** A row for each contender. */
export function redisTable(caption: string, results: RedisResults): Table {
  const median = (name: string, what: keyof RedisResult): number => spreadOf(valuesOf(results, name, what)).median;
  const times = (name: string, what: keyof RedisResult): Spread => timesOf(results, name, BARE_SCRIPT, what);
  return {
    caption,
    head: [
      '',
      'decisions',
      TIMES.decisions,
      'p50, µs',
      TIMES.p50,
      'p99, µs',
      'µs in the command',
      TIMES.command,
      "µs of Redis' processor",
      TIMES.processor,
      "µs of the caller's processor",
      'commands, with those in scripts',
      'bytes to Redis',
      'bytes from Redis',
    ],
    rows: [...results.keys()].map((name) => [
      name,
      rate(median(name, 'perSecond')),
      times(name, 'perSecond'),
      median(name, 'p50Us'),
      times(name, 'p50Us'),
      median(name, 'p99Us'),
      median(name, 'commandUs'),
      times(name, 'commandUs'),
      median(name, 'redisUs'),
      times(name, 'redisUs'),
      median(name, 'processorUs'),
      median(name, 'commands'),
      median(name, 'readBytes'),
      median(name, 'writtenBytes'),
    ]),
  };
}

/** Round by round, what one contender needs of what another needs. */
export function timesOf(results: RedisResults, name: string, other: string, what: keyof RedisResult): Spread {
  return ratios(valuesOf(results, name, what), valuesOf(results, other, what));
}

function valuesOf(results: RedisResults, name: string, what: keyof RedisResult): number[] {
  return (results.get(name) ?? []).map((result) => result[what]);
}
