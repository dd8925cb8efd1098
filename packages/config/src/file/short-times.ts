import type { Path } from './path.js';
import type { PolicyObjection } from './policy-check.js';
import type { LimitWords } from './read-limit.js';
import type { FileInput } from './schema.js';
import type { Sound } from './structure.js';

/** People who think in seconds write smaller numbers. The core warns below the same number. */
const SHORT_MS = 1000;

/**
 * Returns the windows and blocks that are bare numbers below 1,000. A bare number is in milliseconds, so such a limit refuses almost nobody, and such a
 * block ends at once.
 */
export function shortTimes({
  tiers = {},
  customers = {},
  policies = {},
}: Sound<FileInput>): readonly PolicyObjection[] {
  const ofTiers = Object.entries(tiers).flatMap(([tier, limits]) => among(limits, ['tiers', tier]));
  const ofCustomers = Object.entries(customers).flatMap(([name, customer]) =>
    among(customer?.overrides, ['customers', name, 'overrides']),
  );
  const ofPolicies = Object.entries(policies).flatMap(([name, policy]) =>
    (policy?.limits ?? []).flatMap((item, i) => {
      const path = ['policies', name, 'limits', i];
      return [...timesIn(item, path), ...among(item?.variants, [...path, 'variants'])];
    }),
  );
  return [...ofTiers, ...ofCustomers, ...ofPolicies];
}

type Words = LimitWords | 'unlimited' | undefined;

function among(limits: Readonly<Record<string, Words>> = {}, path: Path): readonly PolicyObjection[] {
  return Object.entries(limits).flatMap(([name, words]) => timesIn(words, [...path, name]));
}

function timesIn(words: Words, path: Path): readonly PolicyObjection[] {
  if (typeof words !== 'object') return [];
  const { window, blockDuration } = words;
  const isGrowing = typeof blockDuration === 'object';
  return [
    ...shortTime('window', window, [...path, 'window']),
    ...(isGrowing
      ? shortTime('block', blockDuration.first, [...path, 'blockDuration', 'first'])
      : shortTime('block', blockDuration, [...path, 'blockDuration'])),
  ];
}

function shortTime(what: 'window' | 'block', ms: unknown, path: Path): readonly PolicyObjection[] {
  if (typeof ms !== 'number' || ms >= SHORT_MS) return [];
  const rule = `is a ${what} of ${ms} ms, because a bare number is in milliseconds: write ${ms}s for seconds, or ${ms}ms if you mean it`;
  return [{ path, rule }];
}
