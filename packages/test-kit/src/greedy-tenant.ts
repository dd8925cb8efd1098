import { createLimiter, type Limit, type PolicyOptions, type Store } from '@sluice/core';
import type { ManualClock } from '@sluice/core/testing';

/** What ten tenants got, of whom one asks for ten times its part, and nine for nine tenths of theirs. */
export interface Traffic {
  /** The smallest part of its requests that one of the nine got. */
  readonly leastOfTheNine: number;
  /** Units that were admitted in a second, on average. */
  readonly perSecond: number;
}

/** How many units a second belong to each of the ten. */
const PART = 100;
export const PER_SECOND = 10 * PART;

const GREEDY = 'greedy';
const MODEST = Array.from({ length: 9 }, (_, i) => `modest-${i}`);

/**
 * Plays the ten tenants against a limit of `PER_SECOND`, all of which is guaranteed and lent, or without any guarantee.
 * The greedy one comes first in every millisecond.
 */
export async function playGreedyTenant(
  store: Store<boolean>,
  clock: ManualClock,
  { limit, seconds, isGuaranteed }: { limit: Limit; seconds: number; isGuaranteed: boolean },
): Promise<Traffic> {
  const tenant = (name: string): string => name;
  const guarantee = { lend: 1, guarantee: { limit: PART, keyGenerator: tenant, total: PER_SECOND } };
  const options = {
    name: `ten-${isGuaranteed}`,
    limit,
    keyGenerator: () => 'all',
    store,
    ...(isGuaranteed && guarantee),
  };
  const limiter = createLimiter<string>(options as PolicyOptions<[subject: string]>);
  const asked = new Map<string, number>();
  const admitted = new Map<string, number>();
  for (let ms = 0; ms < seconds * 1000; ms += 1) {
    const tenants = [GREEDY, ...MODEST.filter((_, i) => asksIn(ms, i))];
    const decisions = await Promise.all(tenants.map((name) => limiter.consume(name)));
    decisions.forEach(({ allowed }, i) => {
      const name = tenants[i] as string;
      asked.set(name, (asked.get(name) ?? 0) + 1);
      if (allowed) admitted.set(name, (admitted.get(name) ?? 0) + 1);
    });
    clock.advance(1);
  }
  const all = [...admitted.values()].reduce((sum, units) => sum + units, 0);
  return {
    leastOfTheNine: Math.min(...MODEST.map((name) => (admitted.get(name) ?? 0) / (asked.get(name) as number))),
    perSecond: all / seconds,
  };
}

/** Whether a modest tenant asks in this millisecond: 90 times a second, each at its own times. */
function asksIn(ms: number, tenant: number): boolean {
  const at = ms + tenant;
  return Math.floor((at * 0.9 * PART) / 1000) < Math.floor(((at + 1) * 0.9 * PART) / 1000);
}
