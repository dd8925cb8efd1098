import { describe, it } from '@jest/globals';
import { type StoreClaims, storeSuite } from '@sluice/conformance';
import type { Clock } from '@sluice/core';
import { EVERYTHING } from '@sluice/test-kit/store-claims';
import { type RedisClient, RedisStore } from '../../src/index.js';

/** Whether each form of each client runs every suite, as `npm run proof -- suites` does. CI has no time for those that take longest. */
export const IS_FULL = process.env.SLUICE_SUITES === 'full';

let stores = 0;

/** What the keys of the last store begin with. */
export function prefix(): string {
  return `${stores}:`;
}

/** Makes a store with keys of its own. Nothing of a store outlives it but its keys, which so need not be deleted. */
export function newStore(client: RedisClient, clock?: Clock): RedisStore {
  stores += 1;
  return storeBeside(client, clock);
}

/** Makes another store on the keys of the last one. */
export function storeBeside(client: RedisClient, clock?: Clock): RedisStore {
  // A busy machine may need long.
  return new RedisStore({ client, prefix: prefix(), timeout: '10s', ...(clock && { clock }) });
}

/** Runs the suite of stores over a client, which has to be there by the time the tests run. */
export function suiteOver(client: () => RedisClient, claims: StoreClaims = EVERYTHING): void {
  storeSuite(
    'RedisStore',
    (clock) => newStore(client(), clock),
    claims,
    { describe, it },
    (clock) => storeBeside(client(), clock),
  );
}
