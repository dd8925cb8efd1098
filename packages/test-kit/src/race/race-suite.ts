import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { concurrency, type Limit, type LimitCheck } from '@sluice/core';
import { RACE_LIMITS } from './limits.js';
import { Race } from './race.js';
import type { Finish } from './racer.js';

const PROCESSES = 8;
const REQUESTS = 200;
const TIMEOUT_MS = 180_000;

/**
 * Shows that processes that ask one store at the same time are admitted exactly what its limits allow.
 *
 * @param racer - the path of each process's program, which calls `race`.
 * @param argsOf - returns the arguments of the program. It is called when the servers of the tests run.
 */
export function raceSuite(racer: string, argsOf: () => readonly string[]): void {
  let race: Race;

  beforeAll(async () => {
    race = await Race.of(PROCESSES, racer, argsOf());
  }, TIMEOUT_MS);

  afterAll(() => race?.end(), TIMEOUT_MS);

  const checkOf = (name: string, limit: Limit): LimitCheck => ({ policy: 'race', name, key: 'ann', limit, cost: 1 });
  const sum = (finishes: readonly Finish[]): number => finishes.reduce((total, { admitted }) => total + admitted, 0);

  it.each(Object.entries(RACE_LIMITS))(
    'admits exactly 100 of 1,600 requests of eight processes under %s',
    async (name, limit) => {
      const finishes = await race.run({ kind: 'ask', check: checkOf(name, limit), count: REQUESTS });
      expect(sum(finishes)).toBe(100);
    },
    TIMEOUT_MS,
  );

  it(
    'never gives out more slots than there are, while eight processes take and free them',
    async () => {
      const check = checkOf('held', concurrency({ limit: 10, lease: '1h' }));
      const finishes = await race.run({ kind: 'hold', check, count: REQUESTS });
      const again = await race.run({ kind: 'hold', check, count: REQUESTS });
      expect(sum(finishes) + sum(again)).toBeGreaterThan(10);
      expect(Math.max(...[...finishes, ...again].map(({ most }) => most))).toBeLessThanOrEqual(10);
    },
    TIMEOUT_MS,
  );
}
