import type { Decision, Verdict } from '@sluice/core';
import type { Counted } from '../plan/dimension.js';
import type { NamedLimit } from '../plan/limit-names.js';
import type { CallRefusal } from './call-refusal.js';
import { goDuration } from './go-duration.js';

type Fields = Record<string, string | number | undefined>;

/** Returns the tightest limit of a minute that counts this; undefined if the call has none. */
function minuteLimit(
  { verdicts }: Decision,
  limits: ReadonlyMap<string, NamedLimit>,
  counts: Counted,
): Verdict | undefined {
  return verdicts
    .filter(({ name, limit, shadow }) => {
      const dimension = limits.get(name)?.dimension;
      return (
        dimension?.period === 'minute' && dimension.counts === counts && limit.algorithm !== 'unlimited' && !shadow
      );
    })
    .reduce<Verdict | undefined>(
      (tightest, verdict) => (tightest && tightest.remaining <= verdict.remaining ? tightest : verdict),
      undefined,
    );
}

/**
 * Returns the fields that OpenAI's clients read: `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`. The reset is a duration
 * of Go, until the limit is fresh.
 */
export function openAiFields(decision: Decision, limits: ReadonlyMap<string, NamedLimit>): Fields {
  const fields: Fields = {};
  for (const counts of ['requests', 'tokens'] as const) {
    const verdict = minuteLimit(decision, limits, counts);
    if (!verdict) continue;
    fields[`x-ratelimit-limit-${counts}`] = verdict.limit.quota;
    fields[`x-ratelimit-remaining-${counts}`] = verdict.remaining;
    if (verdict.resetAfterMs !== 'never') fields[`x-ratelimit-reset-${counts}`] = goDuration(verdict.resetAfterMs);
  }
  return fields;
}

const ANTHROPIC_NAMES = {
  requests: 'requests',
  tokens: 'tokens',
  input: 'input-tokens',
  output: 'output-tokens',
} as const;

/**
 * Returns the fields that Anthropic's clients read: `anthropic-ratelimit-{requests,tokens,input-tokens,output-tokens}-{limit,
 * remaining,reset}`. The reset is a time of RFC 3339.
 */
export function anthropicFields(decision: Decision, limits: ReadonlyMap<string, NamedLimit>, nowMs: number): Fields {
  const fields: Fields = {};
  for (const counts of ['requests', 'tokens', 'input', 'output'] as const) {
    const verdict = minuteLimit(decision, limits, counts);
    if (!verdict) continue;
    const name = `anthropic-ratelimit-${ANTHROPIC_NAMES[counts]}`;
    fields[`${name}-limit`] = verdict.limit.quota;
    fields[`${name}-remaining`] = verdict.remaining;
    if (verdict.resetAfterMs === 'never') continue;
    fields[`${name}-reset`] = new Date(nowMs + verdict.resetAfterMs).toISOString().replace(/\.\d+Z$/, 'Z');
  }
  return fields;
}

/** SDKs honour shorter waits than this: see `isHonoured`. */
const TOO_LONG_MS = 60_000;

/**
 * Whether SDKs wait for as long as they are told. Of a longer wait, one knows nothing and comes again at once, another sleeps for as
 * long, and a third one's timer overflows after 24 days. `x-should-retry: false` keeps them from all of it; people read `Retry-After`.
 */
export function isHonoured(waitMs: number): boolean {
  return waitMs < TOO_LONG_MS;
}

/** Returns the fields of a refusal that tell SDKs whether and when to come again. */
export function retryFields({ kind, retryAfterMs = Number.POSITIVE_INFINITY }: CallRefusal): Fields {
  if (kind === 'unavailable') return {};
  const mayComeAgain = (kind === 'rate' || kind === 'budget') && isHonoured(retryAfterMs);
  return mayComeAgain ? { 'retry-after-ms': retryAfterMs } : { 'x-should-retry': 'false' };
}
