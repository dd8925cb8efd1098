import { it } from '@jest/globals';
import type { StoreClaims } from '@sluice/conformance';
import { lackOf, type Need } from '@sluice/conformance/src/store-suite/claims';
import type { Limit } from '@sluice/core';

/** The claims of a store that can do everything. */
export const EVERYTHING: StoreClaims = {
  exact: true,
  acrossKeys: true,
  margins: true,
  guarantees: true,
  calendars: true,
  blocks: true,
  algorithms: true,
};

/** The claims of a store whose keys are on several servers. */
export const SEVERAL_SERVERS: StoreClaims = { ...EVERYTHING, acrossKeys: 'each server decides about its own keys' };

/** The claims of a store that takes units in advance from another one. */
export const COUNTED_AHEAD: StoreClaims = {
  ...EVERYTHING,
  exact: 'it decides by units that were taken before, and documents its bound',
  margins: 'a slice that was taken with a margin would pass the limit by it each time',
  guarantees: 'units in a slice would be missing in the parts of others',
  algorithms: {
    'sliding-window-counter': 'it has no bound if units are counted later',
    'leaky-bucket': 'its requests have one order',
    concurrency: 'a slot is no unit that can be taken in advance',
  },
};

/**
 * Whether a store that decides by the code of another store plays each vector a second time, with peeks. In CI only the others do: that in
 * memory, that over Redis, and the one of compare and swap over a Map. `npm run proof -- suites stores` has the time for all.
 */
export const PEEKS_OF_SHARED_CODE = process.env.SLUICE_SUITES === 'full';

/** What a suite registers a test with. */
type Register = (title: string, body: () => Promise<void>) => void;

/** Returns `it` if the store can count these limits. Otherwise the test is only reported, with the reason. */
export function itCounting(claims: StoreClaims, ...limits: readonly Limit[]): Register {
  const needs = limits.flatMap(({ algorithm, calendar }): Need[] => [
    ...(algorithm === 'unlimited' ? [] : [algorithm]),
    ...(calendar ? ['calendars' as const] : []),
  ]);
  const lack = lackOf(claims, needs);
  return lack === undefined ? it : (title) => it.skip(`${title} (${lack})`, () => {});
}
