import { describe, expect, it } from '@jest/globals';
import type { StartAdapter } from '@sluice/conformance';
import fc from 'fast-check';
import { anyPolicies, type Item, itemOf, LIMITS } from './obeying-client/arbitrary-policies.js';
import { impatientClient } from './obeying-client/impatient-client.js';
import { Play, steps } from './obeying-client/play.js';
import { World } from './obeying-client/world.js';

/**
 * Shows on a host that nobody who obeys the header fields is refused, and that who does not is.
 *
 * @param name - of the host: the tests are listed under it.
 * @param start - serves an application, as for `adapterSuite`.
 * @param tries - how often a property is tried; set `SLUICE_RUNS` for a longer hunt. All hosts share the code that decides and
 *   writes the fields: one host needs most tries, and the others as many as show that they call it at the right times.
 * @example obeyingClient('Express 5', startOn(express));
 */
export function obeyingClient(name: string, start: StartAdapter, tries = 20): void {
  const runs = Number(process.env.SLUICE_RUNS ?? tries);
  const timeoutMs = 120_000 + runs * 1000;
  const assertTried = async <T>(share: number, property: fc.IAsyncProperty<T>): Promise<void> =>
    fc.assert(property, { numRuns: Math.ceil(runs * share) });

  const isNeverRefused = (policies: fc.Arbitrary<readonly (readonly Item[])[]>) =>
    fc.asyncProperty(policies, steps, (policies, script) =>
      World.with(start, policies, async (world) => {
        const play = new Play(world, policies);
        for (const step of script) await play.make(step);
        await world.land();
        expect(play.answers.filter(({ status }) => status !== 200)).toEqual([]);
      }),
    );

  describe(`${name}, a client that obeys the header fields`, () => {
    it.each(Object.entries(LIMITS))(
      'is never refused by %s',
      (_name, limit) => assertTried(0.3, isNeverRefused(itemOf(limit).map((item) => [[item]]))),
      timeoutMs,
    );

    it('is never refused by several limits and limiters', () => assertTried(2, isNeverRefused(anyPolicies)), timeoutMs);
  });

  describe(`${name}, a client that does not`, () => impatientClient(start, runs, timeoutMs));
}
