import { durationMs } from '@sluice/core/values';
import { checkedByCore } from './core-check.js';
import type { MistakeList } from './mistake-list.js';
import type { Path } from './path.js';

/** Returns a share as a number from 0 to 1. A file can write 0.05 or 5%. */
export function shareOf(share: number | string): number {
  return typeof share === 'number' ? share : Number(share.slice(0, -1)) / 100;
}

/** Returns how far a limit is enforced: a share, or `'mark'`. */
export function enforceOf(enforce: number | string): number | 'mark' {
  return enforce === 'mark' ? enforce : shareOf(enforce);
}

/** Returns a time in Unix milliseconds; undefined, with a mistake, if there is no such day or hour. */
export function timeMs(time: string, path: Path, mistakes: MistakeList): number | undefined {
  const [year, month, day] = time.split(/[-T]/, 3).map(Number) as [number, number, number];
  const ms = Date.parse(time);
  // The number of days in a month is the date of the day before the next one. `Date.parse` takes 30 February for 2 March.
  if (!Number.isNaN(ms) && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()) return ms;
  mistakes.addValue(path, 'must be a day and an hour of the calendar, such as 2026-12-01T00:00:00Z', time);
  return undefined;
}

/** Returns a duration in milliseconds; undefined, with a mistake, if it is none of the core: the schema knows only how one is written. */
export function lengthMs(duration: number | string, path: Path, mistakes: MistakeList): number | undefined {
  return checkedByCore(
    () => durationMs(duration, 'duration'),
    path,
    mistakes,
    () => [],
  );
}

/** Returns a time in Unix milliseconds; Infinity if there is none. */
export function untilMs(until: string | undefined, path: Path, mistakes: MistakeList): number {
  if (until === undefined) return Number.POSITIVE_INFINITY;
  return timeMs(until, path, mistakes) ?? Number.POSITIVE_INFINITY;
}
