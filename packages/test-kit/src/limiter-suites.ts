import { describe, it } from '@jest/globals';
import type { Claim, StoreClaims } from '@sluice/conformance';
import type { Clock, Store } from '@sluice/core';
import { blockSuite } from './block-suite.js';
import { chargeSuite } from './charge-suite.js';
import { limitChangeSuite } from './limit-change-suite.js';
import { operationLifeSuite } from './operation-life-suite.js';
import { operationSuite } from './operation-suite.js';
import { replacementSuite } from './replacement-suite.js';
import { COUNTED_AHEAD, EVERYTHING, SEVERAL_SERVERS } from './store-claims.js';

/** What a store can do, and what limiters do over it. Each is true, or text that says why not, which is printed. */
interface LimiterClaims extends StoreClaims {
  /** An operation with an id counts once, in all instances. */
  readonly operations: Claim;
  /** A charge can be corrected as data by another instance. */
  readonly charges: Claim;
  /** What one instance charges and corrects, the others see in their next decision. */
  readonly seenAtOnce: Claim;
  /** A policy can be replaced while requests run and wait in lines. */
  readonly replacements: Claim;
  /** Counts and blocks outlive a change of the limits, as `changing-limits-safely.md` says. */
  readonly changes: Claim;
}

/** Limiters can do everything, as far as the store counts their limits. */
const ALL = { operations: true, charges: true, seenAtOnce: true, replacements: true, changes: true } as const;

/** The claims of stores over which limiters can do everything, by what the stores can do. */
export const OVER_EVERYTHING: LimiterClaims = { ...EVERYTHING, ...ALL };
export const OVER_SEVERAL_SERVERS: LimiterClaims = { ...SEVERAL_SERVERS, ...ALL };
export const OVER_LEASES: LimiterClaims = { ...COUNTED_AHEAD, ...ALL };
export const OVER_SYNCED: LimiterClaims = {
  ...OVER_LEASES,
  charges: 'units that are not reported yet cannot be found by another instance',
  seenAtOnce: 'another instance hears of units when they are reported',
};

/** Makes the stores of two instances, by the system's clock or by another one. */
type Make = (clock?: Clock) => Promise<readonly [Store, Store]>;

type Suite = (name: string, make: Make, claims: LimiterClaims) => void;

const SUITES = {
  operations: (name, make, claims) => {
    operationSuite(name, make, claims);
    operationLifeSuite(name, make, claims);
  },
  charges: chargeSuite,
  blocks: blockSuite,
  replacements: (name, make, claims) => replacementSuite(name, () => onlyOne(make), claims),
  changes: (name, make, claims) => limitChangeSuite(name, () => onlyOne(make), claims),
} satisfies Partial<Record<keyof LimiterClaims, Suite>>;

async function onlyOne(make: Make): Promise<Store> {
  const [one, other] = await make();
  if (other !== one) await other.close();
  return one;
}

/**
 * Runs every suite about limiters over a store, or says why not.
 *
 * @param make - returns the stores of two instances that count in the same empty place, by the clock that it gets, if any; for
 * one process, the same store twice. Their timeout is at most half a minute
 */
export function limiterSuites(name: string, make: Make, claims: LimiterClaims): void {
  for (const [suite, run] of Object.entries(SUITES)) {
    const claim = claims[suite as keyof typeof SUITES];
    if (claim === true) run(name, make, claims);
    else describe(`Over ${name}`, () => it.skip(`no ${suite}: ${claim}`, () => {}));
  }
}
