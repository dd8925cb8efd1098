import { describe, it } from '@jest/globals';
import { type StoreClaims, storeSuite } from '@sluice/conformance';
import type { Clock } from '@sluice/core';
import { type Part, withPartOfVectors } from '@sluice/test-kit/part-of-vectors';
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

/** How the suite runs over a client. */
interface Suite {
  readonly name?: string;
  readonly claims?: StoreClaims;
  /** Registers a test. */
  readonly test?: typeof it | typeof it.concurrent;
  /** The part of the vectors that CI plays over this client. By default all of them. */
  readonly part?: Part;
}

/**
 * Runs the suite of stores over a client, which has to be there by the time the tests run. In CI, no vector is played again with peeks: the
 * whole suite runs over ioredis 6.
 */
export function suiteOver(
  client: () => RedisClient,
  { name = 'RedisStore', claims = EVERYTHING, test = it, part = { index: 0, of: 1 } }: Suite = {},
): void {
  // Tests may run at the same time, each with a clock of its own.
  const prefixes = new WeakMap<Clock, string>();
  const storeOf = (clock: Clock): RedisStore =>
    new RedisStore({ client: client(), clock, prefix: prefixes.get(clock) as string, timeout: '10s' });
  const make = (clock: Clock): RedisStore => {
    stores += 1;
    prefixes.set(clock, prefix());
    return storeOf(clock);
  };
  const all = { describe, it: test };
  const runner = IS_FULL ? all : withPartOfVectors(part, all);
  storeSuite(name, make, claims, { ...runner, beside: storeOf, peeks: IS_FULL });
}
