import { describe, expect, it } from '@jest/globals';
import { fixedWindow, type LimitCheck, slidingWindow } from '@sluice/core';
import fc from 'fast-check';
import { CheckSetMap } from '../../src/stores/check-set-map.js';

const LIMITS = [fixedWindow({ limit: 1, window: '1m' }), slidingWindow({ limit: 2, window: '1m' })];

const someCheck = fc.record({
  policy: fc.constantFrom('a', 'b'),
  name: fc.constantFrom('x', 'y'),
  key: fc.constantFrom('everyone', 'ann', 'ben'),
  limit: fc.constantFrom(...LIMITS),
  cost: fc.constantFrom(1, 2),
});
const someChecks = fc.array(someCheck, { maxLength: 3 });
const someStep = fc.oneof(
  fc.record({ verb: fc.constant('set' as const), checks: someChecks, value: fc.nat() }),
  fc.record({ verb: fc.constant('delete' as const), checks: someChecks }),
  fc.record({ verb: fc.constant('delete a known one' as const), pick: fc.nat(40) }),
  fc.record({ verb: fc.constant('clear' as const) }),
);

/** The properties that are equal in all requests of one entry. */
const nameOf = (checks: readonly LimitCheck[]): string =>
  JSON.stringify(checks.map(({ policy, name, key, limit }) => [policy, name, key, limit.algorithm]));

const sorted = (values: Iterable<number>): number[] => [...values].sort((a, b) => a - b);

describe('A map by the checks of a request', () => {
  it('has one value for the same states in the same order, whatever the numbers', () => {
    const checked = fc.property(
      fc.array(someStep, { maxLength: 40 }),
      fc.array(someChecks, { maxLength: 10 }),
      fc.array(someCheck, { maxLength: 2 }),
      (steps, questions, targets) => {
        const map = new CheckSetMap<number>();
        const plain = new Map<string, { checks: readonly LimitCheck[]; value: number }>();
        for (const step of steps) {
          if (step.verb === 'clear') {
            map.clear();
            plain.clear();
          } else if (step.verb === 'set') {
            map.set(step.checks, step.value);
            plain.set(nameOf(step.checks), step);
          } else {
            const known = [...plain.values()].map((entry) => entry.checks);
            const checks = step.verb === 'delete' ? step.checks : (known[step.pick % known.length] ?? []);
            map.delete(checks);
            plain.delete(nameOf(checks));
          }
        }
        for (const checks of [...questions, ...[...plain.values()].map(({ checks }) => checks)]) {
          expect(map.get(checks)).toBe(plain.get(nameOf(checks))?.value);
        }
        expect(map.size).toBe(plain.size);
        const all = [...plain.values()];
        expect(sorted(map.values())).toEqual(sorted(all.map(({ value }) => value)));
        const isMeant = (check: LimitCheck): boolean =>
          targets.some(({ policy, name, key }) => policy === check.policy && name === check.name && key === check.key);
        const concerned = all.filter(({ checks }) => checks.some(isMeant)).map(({ value }) => value);
        expect(sorted(map.concernedBy(targets))).toEqual(sorted(new Set(concerned)));
      },
    );
    fc.assert(checked, { numRuns: 300 });
  });
});
