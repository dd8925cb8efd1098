import { InvalidArgumentError } from 'commander';

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Reads the time of an option, in Unix milliseconds: a day, or a day and a time. Without a zone it is in UTC, so that the same command
 * means the same on every machine.
 */
export function timeOption(text: string): number {
  const [, day, zone] = TIME.exec(text) ?? [];
  const ms = Date.parse(text.replace(' ', 'T') + (text === day || zone ? '' : 'Z'));
  if (day !== undefined && isOfCalendar(day) && !Number.isNaN(ms)) return ms;
  throw new InvalidArgumentError('Write a time of ISO 8601: 2026-11-22, or 2026-11-22T19:00 (UTC without a zone).');
}

/** `Date.parse` takes 30 February for 2 March. */
function isOfCalendar(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
