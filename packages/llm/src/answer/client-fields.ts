import type { Decision, Verdict } from '@sluice/core';
import type { CountedByFields, Fields, LimitState, Vendor } from '../dialects/vendor.js';
import type { NamedLimit } from '../plan/limit-names.js';
import type { CallRefusal } from './call-refusal.js';

/** Returns the tightest limit of a minute that counts this; undefined if the call has none. */
function minuteLimit(
  { verdicts }: Decision,
  limits: ReadonlyMap<string, NamedLimit>,
  counts: CountedByFields,
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

const COUNTED: readonly CountedByFields[] = ['requests', 'tokens', 'input', 'output'];

/** Returns the fields that state the limits of a minute, as the clients of a vendor read them. */
export function limitFields(
  vendor: Vendor,
  decision: Decision,
  { limits, nowMs }: { readonly limits: ReadonlyMap<string, NamedLimit>; readonly nowMs: number },
): Fields {
  const states: Partial<Record<CountedByFields, LimitState>> = {};
  for (const counts of COUNTED) {
    const verdict = minuteLimit(decision, limits, counts);
    if (!verdict) continue;
    const { limit, remaining, resetAfterMs } = verdict;
    states[counts] = { limit: limit.quota, remaining, resetAfterMs };
  }
  return vendor.limitFields(states, nowMs);
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
  const mayComeAgain = (kind === 'rate' || kind === 'budget' || kind === 'held') && isHonoured(retryAfterMs);
  return mayComeAgain ? { 'retry-after-ms': retryAfterMs } : { 'x-should-retry': 'false' };
}
