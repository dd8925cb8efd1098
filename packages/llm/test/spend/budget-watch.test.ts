import { afterEach, describe, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { asyncStore } from '@sluice/test-kit/async-store';
import { settled } from '@sluice/test-kit/manual-store';
import { type BudgetReached, type BudgetWatchOptions, watchBudgets } from '../../src/index.js';
import { limited, settleWith } from '../limited.js';

const clock = new ManualClock();
let stop = (): void => {};
afterEach(() => stop());

function watched(options: BudgetWatchOptions = {}): BudgetReached[] {
  const seen: BudgetReached[] = [];
  stop = watchBudgets((event) => seen.push(event), options);
  return seen;
}

const shown = (seen: readonly BudgetReached[]) => seen.map(({ limit, threshold }) => `${limit} ${threshold}`);

/** Spends micro-dollars, as calls of ten tokens of output for each hundred. */
async function spend({ llm, reserve }: ReturnType<typeof limited>, microDollars: number, user?: string) {
  const reservation = await reserve({ max_tokens: microDollars / 10 }, user);
  if (reservation.allowed) await settleWith(llm, reservation, { output: microDollars / 10 });
  return reservation.allowed;
}

describe('watchBudgets', () => {
  it('reports 50, 80 and 100 % of each budget of each key, once for each window', async () => {
    const setup = limited({ plan: { perDay: 10_000, perMonth: 15_000 } }, clock);
    const seen = watched();
    for (let i = 0; i < 12; i += 1) await spend(setup, 1000);
    // The tenth call does not fit beside its prompt.
    expect(shown(seen)).toEqual(['perDay 0.5', 'perDay 0.8', 'perMonth 0.5', 'perDay 1']);
    expect(seen[0]).toEqual({
      ...{ policy: 'llm', limit: 'perDay', threshold: 0.5, key: expect.any(String), quota: 10_000 },
      ...{ used: expect.any(Number), held: expect.any(Number), resetAfterMs: expect.any(Number) },
    });
    expect(seen[0]?.key).not.toContain('ann');
    await spend(setup, 6000, 'bob');
    expect(shown(seen).slice(4)).toEqual(['perDay 0.5']);
    clock.advance('1d');
    for (let i = 0; i < 5; i += 1) await spend(setup, 1000);
    expect(shown(seen).slice(5)).toEqual(['perMonth 0.8', 'perDay 0.5']);
  });

  it('does not report a budget as used up that calls under way only hold', async () => {
    const setup = limited({ plan: { perDay: 10_000 } }, clock);
    const seen = watched();
    const held = await setup.reserve({ max_tokens: 700 });
    expect((await setup.reserve({ max_tokens: 700 })).allowed).toBe(false);
    expect(shown(seen)).toEqual(['perDay 0.5']);
    await settleWith(setup.llm, held, { output: 10 });
    // It was given back, and is passed again.
    await spend(setup, 7000);
    expect(shown(seen)).toEqual(['perDay 0.5']);
  });

  it('knows limits that are written by hand, by their unit', () => {
    const seen = watched();
    const limiter = createLimiter({
      store: new MemoryStore({ clock }),
      limits: [
        { name: 'money', limit: fixedWindow({ limit: 10, window: '1d' }), cost: 5, quotaUnit: 'micro-dollars' },
        { name: 'tokens', limit: fixedWindow({ limit: 10, window: '1d' }), cost: 5, quotaUnit: 'tokens' },
      ],
    });
    limiter.consume('ann');
    limiter.consume('ann');
    expect(shown(seen)).toEqual(['money 0.5', 'money 0.8', 'money 1']);
  });

  it.each([[{ thresholds: [0] }], [{ thresholds: [1.5] }], [{ thresholds: 0.5 }], [{ parts: [1] }], [{ store: {} }]])(
    'refuses the options %j',
    (options) => {
      expect(() => watchBudgets(() => {}, options as object)).toThrow(
        expect.objectContaining({ code: 'SLUICE_OPTION' }),
      );
    },
  );

  it('refuses a second watch of a store with the same name', () => {
    const store = new MemoryStore({ clock });
    watched({ store });
    expect(() => watchBudgets(() => {}, { store })).toThrow(expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME' }));
    stop();
    watched({ store, name: 'alerts' });
  });

  it('reports if the store of the marks fails', async () => {
    const broken = { ...asyncStore({ clock }), adjust: () => Promise.reject(new Error('gone')) };
    const setup = limited({ plan: { perDay: 10_000 } }, clock);
    const seen = watched({ store: broken });
    await spend(setup, 9000);
    await settled();
    expect(shown(seen)).toEqual(['perDay 0.5', 'perDay 0.8']);
  });

  it('stops when it is told to', async () => {
    const setup = limited({ plan: { perDay: 10_000 } }, clock);
    const seen = watched();
    stop();
    await spend(setup, 9000);
    expect(seen).toEqual([]);
  });
});
