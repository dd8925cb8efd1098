import { wallClock } from '@sluice/core';
import { type HeaderSource, pickFields } from './fields.js';
import { LONGEST_DELAY_MS, readDelayMs, readNumber } from './quantities.js';
import { CLOCK_FIELDS, serverNowMs } from './server-clock.js';

/** The fields in milliseconds, which are more exact than the others. */
const MILLISECONDS = ['retry-after-ms', 'x-ms-retry-after-ms'];

/** The fields in seconds, or with a date. */
const SECONDS = ['retry-after', 'x-retry-after'];

const NAMES: ReadonlySet<string> = new Set([...MILLISECONDS, ...SECONDS, ...CLOCK_FIELDS]);

/**
 * Returns how many milliseconds a server wants you to wait: `retry-after-ms` of OpenAI and Azure first, then
 * `Retry-After` (RFC 9110 section 10.2.3) in seconds or as a date. Undefined if it says nothing that makes sense.
 *
 * If a proxy added a second `Retry-After`, the longer one counts.
 *
 * @param nowMs - the time of day in milliseconds since 1970. Default: the time of the system. It matters for dates
 * alone, and only if the response has no `Date`
 * @example
 * readRetryAfter(new Headers({ 'retry-after': '30' })); // 30000
 */
export function readRetryAfter(headers: HeaderSource, nowMs: number = wallClock.now()): number | undefined {
  const fields = pickFields(headers, NAMES);
  for (const name of MILLISECONDS) {
    const ms = readNumber(fields.get(name));
    if (ms !== undefined && ms <= LONGEST_DELAY_MS) return Math.ceil(ms);
  }
  for (const name of SECONDS) {
    const text = fields.get(name);
    const ms = text === undefined ? undefined : longestDelayMs(text, serverNowMs(fields, nowMs));
    if (ms !== undefined) return ms;
  }
  return undefined;
}

/** A comma between two members. That of a date stands after the day of the week. */
const SEPARATOR = /(?<!\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*),/;

function longestDelayMs(text: string, nowMs: number): number | undefined {
  const delayMs = readDelayMs(text, nowMs);
  if (delayMs !== undefined || !text.includes(',')) return delayMs;
  const delays = text.split(SEPARATOR).map((part) => readDelayMs(part, nowMs));
  return delays.reduce((longest, ms) => (ms === undefined || (longest ?? -1) > ms ? longest : ms), undefined);
}
