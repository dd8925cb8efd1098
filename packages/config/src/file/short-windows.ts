import type { Path } from './path.js';
import type { PolicyObjection } from './policy-check.js';
import type { LimitWords } from './read-limit.js';
import type { FileInput } from './schema.js';
import type { Sound } from './structure.js';

/** People who think in seconds write smaller numbers. The core warns below the same number. */
const SHORT_MS = 1000;

/** Returns the windows that are bare numbers below 1,000. A bare number is in milliseconds, so such a limit refuses almost nobody. */
export function shortWindows({
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
      return [...shortWindow(item, path), ...among(item?.variants, [...path, 'variants'])];
    }),
  );
  return [...ofTiers, ...ofCustomers, ...ofPolicies];
}

type Words = LimitWords | 'unlimited' | undefined;

function among(limits: Readonly<Record<string, Words>> = {}, path: Path): readonly PolicyObjection[] {
  return Object.entries(limits).flatMap(([name, words]) => shortWindow(words, [...path, name]));
}

function shortWindow(words: Words, path: Path): readonly PolicyObjection[] {
  const ms = typeof words === 'object' ? words.window : undefined;
  if (typeof ms !== 'number' || ms >= SHORT_MS) return [];
  const rule = `is a window of ${ms} ms, because a bare number is in milliseconds: write ${ms}s for seconds, or ${ms}ms if you mean it`;
  return [{ path: [...path, 'window'], rule }];
}
