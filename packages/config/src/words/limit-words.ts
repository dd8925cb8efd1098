import type { CalendarWindow, Limit } from '@sluice/core';
import { countWords, durationWords, numberWords, rateWords } from './words.js';

/** Returns what a limit allows: `60 requests a minute`. `thing` is what is counted: `request` or `unit`. */
export function limitWords(limit: Limit, thing: string): string {
  const { algorithm, quota } = limit;
  if (algorithm === 'unlimited') return `any number of ${thing}s`;
  if (algorithm === 'concurrency') return `${countWords(quota, thing)} at the same time`;
  if (algorithm === 'token-bucket') return `bursts of ${countWords(quota, thing)}, then ${refillWords(limit)}`;
  if (algorithm === 'leaky-bucket')
    return `${refillWords(limit)} at even intervals, ${numberWords(quota)} in the queue`;
  if (limit.calendar) return `${countWords(quota, thing)} ${calendarWords(limit.calendar)}`;
  return rateWords(quota, thing, limit.windowMs ?? 0);
}

/** Returns how fast a bucket refills: `5 a second`, `never more`. */
function refillWords({ refillUnits = 0, refillPeriodMs = 1, byInterval }: Limit): string {
  if (refillUnits === 0) return 'never more';
  if (byInterval) return `${numberWords(refillUnits)} together every ${durationWords(refillPeriodMs)}`;
  return perTime(refillUnits, refillPeriodMs);
}

/** A rate is a fraction in lowest terms: 5 a second is 1 per 200 ms. It is said for the shortest usual time that makes it whole. */
function perTime(units: number, periodMs: number): string {
  for (const [unit, ms] of [
    ['second', 1000],
    ['minute', 60_000],
    ['hour', 3_600_000],
    ['day', 86_400_000],
  ] as const) {
    const count = (units * ms) / periodMs;
    if (Number.isSafeInteger(count)) return `${numberWords(count)} ${unit === 'hour' ? 'an' : 'a'} ${unit}`;
  }
  return `${numberWords((units * 1000) / periodMs)} a second`;
}

/** Returns the interval of a calendar: `a day (UTC)`. */
export function calendarWords({ unit, timeZone }: CalendarWindow): string {
  return `${unit === 'hour' ? 'an' : 'a'} ${unit} (${timeZone})`;
}
