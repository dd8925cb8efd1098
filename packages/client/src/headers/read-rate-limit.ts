import { wallClock } from '@sluice/core';
import type { Advice } from './advice.js';
import { adviceOf, filledUp } from './advice-parts.js';
import { DRAFT_FIELDS, draftLimits } from './draft-fields.js';
import { type HeaderSource, pickFields } from './fields.js';
import { CLOCK_FIELDS, isFromCache, serverNowMs } from './server-clock.js';
import { SPELLED_FIELDS, spelledLimits } from './spelled-limits.js';

const NAMES: ReadonlySet<string> = new Set([...DRAFT_FIELDS, ...SPELLED_FIELDS, ...CLOCK_FIELDS]);

/**
 * Reads what a server states about its limits in the header fields of a response: the `RateLimit` fields of
 * draft-ietf-httpapi-ratelimit-headers (revisions 0 to 11), `X-RateLimit-*` in its variants, and the fields of OpenAI,
 * Anthropic and some twenty others (`spellings.ts`). Limits that are stated twice are returned once.
 *
 * It never throws. A number that is missing, negative or malformed is absent from the result. A response from a cache (`Age`
 * above 0) states nothing, because its numbers are those of another request.
 *
 * @param nowMs - the time of day in milliseconds since 1970. Default: the time of the system. It matters for servers that
 * state moments, and only if the response has no `Date`
 * @returns one entry per limit; empty if the server states none
 * @example
 * readRateLimit(new Headers({ ratelimit: '"burst";r=50;t=30', 'ratelimit-policy': '"burst";q=100;w=60' }));
 * // [{ policy: 'burst', unit: 'requests', limit: 100, windowMs: 60000, remaining: 50, resetAfterMs: 30000 }]
 */
export function readRateLimit(headers: HeaderSource, nowMs: number = wallClock.now()): readonly Advice[] {
  const fields = pickFields(headers, NAMES);
  if (isFromCache(fields)) return [];
  const parts = [...draftLimits(fields), ...spelledLimits(fields, serverNowMs(fields, nowMs))];
  return withoutSummaries(parts.map(adviceOf).filter((advice) => advice !== undefined));
}

/**
 * Fields without a name and a window are about the tightest limit, which other fields may state in full. Such a summary
 * completes that limit, and is an advice of its own only if no limit fits.
 */
function withoutSummaries(stated: readonly Advice[]): readonly Advice[] {
  const limits = stated.filter((advice) => !isSummary(advice));
  for (const summary of stated.filter(isSummary)) {
    const i = limits.findIndex((limit) => isAbout(summary, limit));
    const limit = limits[i];
    if (limit === undefined) limits.push(summary);
    else limits[i] = adviceOf(filledUp(limit, summary)) ?? limit;
  }
  return limits;
}

function isSummary({ policy, windowMs }: Advice): boolean {
  return policy === undefined && windowMs === undefined;
}

function isAbout(summary: Advice, limit: Advice): boolean {
  if (summary.unit !== limit.unit || summary.limit !== limit.limit) return false;
  return limit.remaining === undefined || summary.remaining === undefined || limit.remaining === summary.remaining;
}
