import { describe, expect, it } from '@jest/globals';
import { MemoryStore, subscribe } from '@sluice/core';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { countedSteps, limitsOfPolicies, playCounted } from '@sluice/test-kit/counted-script';
import fc from 'fast-check';
import { ManualClock } from '../../src/testing/manual-clock.js';

let policies = 0;

const newPolicy = (): string => {
  policies += 1;
  return `counted ${policies}`;
};

describe.each([
  ['in memory', (clock: ManualClock) => new MemoryStore({ clock })],
  ['in a store that answers later', (clock: ManualClock) => new AsyncStore(clock)],
])('What policyMetrics counts %s', (_, makeStore) => {
  it('is what the decisions add up to', async () => {
    await fc.assert(
      fc.asyncProperty(
        countedSteps,
        fc.constantFrom(...limitsOfPolicies),
        fc.boolean(),
        async (script, limits, observed) => {
          const stop = observed ? subscribe('sluice:decision', () => {}) : () => {};
          const clock = new ManualClock();
          const store = makeStore(clock);
          const { counted, expected } = await playCounted(store, clock, newPolicy(), limits, script);
          stop();
          await store.close();
          expect(counted).toEqual(expected);
        },
      ),
      { numRuns: 40, seed: 64 },
    );
  });
});
