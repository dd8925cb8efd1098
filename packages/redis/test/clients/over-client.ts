import { describe, it, jest } from '@jest/globals';
import { type StoreClaims, storeSuite } from '@sluice/conformance';
import type { Clock } from '@sluice/core';
import { EVERYTHING } from '@sluice/test-kit/store-claims';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { type RedisClient, RedisStore } from '../../src/index.js';
import { scenes } from '../differential/scenes.js';
import { Twins } from '../differential/twins.js';

/** Whether each form of each client runs every suite, as `npm run proof -- suites` does. CI has time for one form of each. */
export const IS_FULL = process.env.SLUICE_SUITES === 'full';

/** The scenes are always the same. Without `IS_FULL`, no more than so many steps of each are played. */
const [SEED, STEPS] = [20_261_129, IS_FULL ? Number.POSITIVE_INFINITY : 15] as const;

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

/**
 * Plays so many scenes in memory and over a client, and expects the same decisions, to the last bit.
 *
 * @param looking - looks at the server past the client
 * @param subject - of these scenes alone
 */
export async function expectSameAsInMemory(
  client: RedisClient,
  { looking, subject, count }: { readonly looking: Redis; readonly subject: string; readonly count: number },
): Promise<void> {
  // The memory store sweeps by real time what has expired, which a clock that goes back could call to life again.
  const interval = jest.spyOn(globalThis, 'setInterval').mockReturnValue({ unref() {} } as never);
  let plays = 0;
  await fc.assert(
    fc.asyncProperty(scenes, async ({ places, steps }) => {
      plays += 1;
      await new Twins(looking, `${subject}-${plays}`, places, { through: client }).play(steps.slice(0, STEPS));
    }),
    { numRuns: count, seed: SEED },
  );
  interval.mockRestore();
}
