import { describe, expect, it } from '@jest/globals';
import { type Duration, fixedWindow, type Reservation, tokenBucket, unlimited } from '@sluice/core';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { createLlm, type Hold, type LlmPlan, usd } from '../../src/index.js';
import { type Job, limited, settleWith } from '../limited.js';

const llm = createLlm<[Job]>({ call: ({ body }) => body, plan: {}, hold: 'expected' });
const ceiling = createLlm<[Job]>({ call: ({ body }) => body, plan: {}, hold: 'ceiling' });

describe('boundOf', () => {
  const { boundOf } = limited({}).llm;
  const most = { tokens: 5_000, microDollars: usd('0.05') };

  it.each<[plan: LlmPlan, window: Duration, tokens: number, microDollars: number]>([
    [{ tpm: 1000, parallel: 3 }, '1m', 1000 + 3 * 5000, Number.POSITIVE_INFINITY],
    [{ tpm: 1000, parallel: 3 }, '5m', 5 * (1000 + 3 * 5000), Number.POSITIVE_INFINITY],
    [{ tpm: 1000, tpd: 2000, parallel: 1 }, '5m', 2 * (2000 + 5000), Number.POSITIVE_INFINITY],
    [{ itpm: 600, otpm: 400, parallel: 1 }, '1m', 1000 + 2 * 5000, Number.POSITIVE_INFINITY],
    [{ otpm: 400, parallel: 1 }, '1m', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [{ perDay: usd('1'), parallel: 2 }, '1d', Number.POSITIVE_INFINITY, 2 * (usd('1') + 2 * usd('0.05'))],
    [{ tpm: 0, perDay: 0 }, '1m', 0, 0],
    [{ tpm: 1000, parallel: 0 }, '1m', 1000, Number.POSITIVE_INFINITY],
    [{ tpm: 1000 }, '1m', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [{ tpm: unlimited(), parallel: 1 }, '1m', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [{}, '1m', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])('of %j in %s is %d tokens and %d micro-dollars', (plan, window, tokens, microDollars) => {
    expect(boundOf(plan, window, { most })).toEqual({ tokens, microDollars });
  });

  it('is the limit itself in ceiling mode, and if no call uses more than it holds', () => {
    expect(ceiling.boundOf({ tpm: 1000, parallel: 3 }, '1m').tokens).toBe(1000);
    expect(ceiling.boundOf({ tpm: 1000 }, '1m').tokens).toBe(1000);
    expect(llm.boundOf({ tpm: 1000 }, '1m', { most: { tokens: 9 }, least: { tokens: 9 } }).tokens).toBe(1000);
    expect(llm.boundOf({ tpm: 1000, parallel: 2 }, '1m', { most: { tokens: 9 }, least: { tokens: 4 } }).tokens).toBe(
      1010,
    );
  });

  it('has what lost calls use above what they hold, but for what holds the ceiling', () => {
    const range = { most: { tokens: 9, microDollars: 7 }, least: { tokens: 4 }, lost: 3 };
    expect(llm.boundOf({ tpm: 1000, parallel: 2 }, '1m', range).tokens).toBe(1000 + (2 + 3) * 5);
    expect(llm.boundOf({ perDay: 100, parallel: 2 }, '1d', range).microDollars).toBe(2 * (100 + 2 * 7) + 3 * 7);
    expect(llm.boundOf({ tpm: 1000, parallel: 0 }, '1m', { lost: 1 }).tokens).toBe(Number.POSITIVE_INFINITY);
    expect(ceiling.boundOf({ tpm: 1000, parallel: 2 }, '1m', range).tokens).toBe(1000);
  });

  it('does not exist in the other mode, if nobody says what a call may use', () => {
    expect(llm.boundOf({ tpm: 1000, parallel: 3 }, '1m').tokens).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    [{ largest: 5 }, 'range.largest'],
    [{ most: { tokens: -1 } }, 'range.most.tokens'],
    [{ least: { microDollars: 0.5 } }, 'range.least.microDollars'],
    [{ most: { money: 1 } }, 'range.most.money'],
    [{ lost: -1 }, 'range.lost'],
  ])('refuses the range %j', (range, path) => {
    expect(() => llm.boundOf({}, '1m', range as object)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path }),
    );
  });

  it.each<[plan: unknown, window: unknown, path: string]>([
    [{ rpm: -1 }, '1m', 'plan.rpm'],
    [{ tpm: 5, parallel: 1 }, 'soon', 'window'],
  ])('refuses the plan %j in %s', (plan, window, path) => {
    expect(() => ceiling.boundOf(plan as LlmPlan, window as Duration)).toThrow(expect.objectContaining({ path }));
  });
});

/** A call that was admitted, when, and what it came to use. */
interface Use {
  readonly atMs: number;
  readonly tokens: number;
}

const WINDOW_MS = 60_000;

/** Returns the most tokens of the calls that were admitted within any minute. */
function busiestMinute(uses: readonly Use[]): number {
  return Math.max(
    ...uses.map(({ atMs: endMs }) =>
      uses.filter(({ atMs }) => atMs <= endMs && atMs > endMs - WINDOW_MS).reduce((sum, { tokens }) => sum + tokens, 0),
    ),
  );
}

const PLANS: Readonly<Record<string, LlmPlan>> = {
  'a sliding window': { tpm: 1000, parallel: 3 },
  'a fixed window': { tpm: fixedWindow({ limit: 1000, window: '1m' }), parallel: 2 },
  'a bucket': { tpm: tokenBucket({ capacity: 500, refillRate: 50 }), parallel: 2 },
};

const MOST = 5_000;
const STEPS = 400;

/** Adversaries of each kind. */
const RUNS = Number(process.env.SLUICE_RUNS ?? 1);

/** Lets an adversary do as it likes. Returns the most tokens of the calls that were admitted within any minute. */
async function busiestOf(plan: LlmPlan, hold: Hold, seed: number): Promise<number> {
  const random = seededRandom(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const { llm, reserve, clock } = limited({ plan, hold });
  const open: { reservation: Reservation<boolean>; atMs: number; held: number }[] = [];
  const uses: Use[] = [];

  const settle = async (): Promise<void> => {
    const [call] = open.splice(below(open.length), 1);
    if (!call) return;
    // A provider keeps to the cap, and no tokenizer makes more tokens than bytes.
    const tokens = hold === 'ceiling' ? below(call.held + 1) : ([0, 1, MOST, below(MOST)][below(4)] ?? 0);
    uses.push({ atMs: call.atMs, tokens });
    await settleWith(llm, call.reservation, { input: tokens });
  };

  for (let step = 0; step < STEPS; step += 1) {
    const [dice, atMs] = [below(10), clock.now()];
    if (dice < 5) {
      const reservation = await reserve(dice < 2 ? {} : { max_tokens: below(600) });
      const held = reservation.verdicts.find(({ name }) => name === 'tpm')?.cost ?? 0;
      if (reservation.allowed) open.push({ reservation, atMs, held });
    } else if (dice < 8) await settle();
    else clock.advance(below(20_000));
  }
  while (open.length > 0) await settle();
  return busiestMinute(uses);
}

describe.each(Object.entries(PLANS))('An adversary under %s', (what, plan) => {
  it.each(['expected', 'ceiling'] as const)(
    'never passes the bound, whatever it asks for, leaves open and settles: hold %s',
    async (hold) => {
      let worst = 0;
      for (let run = 0; run < RUNS; run += 1) worst = Math.max(worst, await busiestOf(plan, hold, run));
      const { llm } = limited({ plan, hold });
      const { tokens: bound } = llm.boundOf(plan, '1m', { most: { tokens: MOST } });
      if (RUNS > 1) process.stdout.write(`budgets: hold ${hold}, ${what}: ${worst} of ${bound} tokens in a minute\n`);
      expect(worst).toBeLessThanOrEqual(bound);
      // The adversary is no friend of the limit: without the part of calls under way, the bound would not hold.
      if (hold === 'expected') expect(worst).toBeGreaterThan(1000);
    },
  );
});
