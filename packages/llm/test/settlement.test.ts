import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LlmCall } from '../src/call/llm-call.js';
import type { CallEnd } from '../src/meter/call-outcome.js';
import type { Counted } from '../src/plan/dimension.js';
import { EXPECTED } from '../src/plan/hold.js';
import { heldBy, type SettlementRules, settlementOf, type UnknownUsage } from '../src/settle/settlement.js';
import { checkedWeights } from '../src/settle/token-weights.js';
import type { Usage } from '../src/usage/usage.js';

const COUNTED = new Map<string, Counted>([
  ['rpm', 'requests'],
  ['tpm', 'tokens'],
  ['itpm', 'input'],
  ['otpm', 'output'],
  ['parallel', 'slots'],
  ['perDay', 'money'],
]);

const CALL: LlmCall = {
  model: 'gpt-5.6',
  format: 'openai-chat',
  stream: true,
  input: 100,
  inputCeiling: 400,
  choices: 1,
};

const HELD = { rpm: 1, tpm: 600, itpm: 100, otpm: 500, parallel: 1, perDay: 5_000, own: 7 };
const NONE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, complete: false };

/** A model whose prompt costs 2 micro-dollars a token, and whose output 10. */
const costOf = (_call: LlmCall, { input, cacheRead, cacheWrite, output }: Usage): number =>
  2 * (input + cacheRead + cacheWrite) + 10 * output;

function settle(
  end: CallEnd,
  usage: Partial<Usage>,
  unknownUsage?: UnknownUsage,
  weights = {},
  call: Partial<LlmCall> = {},
  hold = EXPECTED,
) {
  const rules: SettlementRules = {
    weights: checkedWeights(weights),
    costOf,
    hold,
    unknownUsage,
  };
  return settlementOf(rules, (limit) => COUNTED.get(limit))(
    { ...CALL, ...call },
    { end, usage: { ...NONE, ...usage } },
    HELD,
  ).amounts;
}

describe('the settlement of a call', () => {
  const FINAL = { input: 80, cacheRead: 20, cacheWrite: 10, output: 40, reasoning: 30, complete: true };

  it.each<[what: string, amounts: object, expected: object]>([
    ['the final usage', settle('complete', FINAL), { tpm: 130, itpm: 90, otpm: 40, perDay: 620 }],
    [
      'the final usage by weights, rounded up once',
      settle('complete', FINAL, undefined, { cacheRead: 0.1, cacheWrite: 1.25, reasoning: 0.5 }),
      { tpm: 120, itpm: 95, otpm: 25, perDay: 620 },
    ],
    ['nothing if the call was not sent', settle('unsent', {}), { rpm: 0, tpm: 0, itpm: 0, otpm: 0, perDay: 0 }],
    ['the request if the provider refused', settle('refused', {}), { tpm: 0, itpm: 0, otpm: 0, perDay: 0 }],
    [
      'the estimated prompt, and the money that was held, if a stream was asked for and nothing came',
      settle('broken', {}),
      { tpm: 100, itpm: 100, otpm: 0, perDay: 5_000 },
    ],
    [
      'the counted output, the estimated prompt and the held money if the stream broke',
      settle('broken', { output: 5 }),
      { tpm: 105, itpm: 100, otpm: 5, perDay: 5_000 },
    ],
    [
      'the prompt that the provider stated before the stream broke',
      settle('broken', { input: 12, cacheRead: 30, output: 5 }),
      { tpm: 17, itpm: 12, otpm: 5, perDay: 5_000 },
    ],
    [
      'the counted money of a broken stream, if that is more than was held',
      settle('broken', { output: 700 }),
      { tpm: 800, itpm: 100, otpm: 700, perDay: 7_200 },
    ],
    [
      "the counted money with unknownUsage: 'counted'",
      settle('broken', { output: 5 }, 'counted'),
      { tpm: 105, itpm: 100, otpm: 5, perDay: 250 },
    ],
    [
      "at least what was held with unknownUsage: 'reserved'",
      settle('broken', { output: 700 }, 'reserved'),
      { tpm: 800, itpm: 100, otpm: 700, perDay: 7_200 },
    ],
    [
      'a complete end without a final usage as a broken one',
      settle('complete', { output: 5 }),
      { tpm: 105, itpm: 100, otpm: 5, perDay: 5_000 },
    ],
    [
      'at least what was held if a stream broke whose prompt the body only names',
      settle('broken', { output: 5 }, 'counted', {}, { unseen: true }),
      { tpm: 600, itpm: 100, otpm: 500, perDay: 5_000 },
    ],
    [
      'what was counted if the provider has stated such a prompt before',
      settle('broken', { input: 12, cacheRead: 30, output: 5 }, 'counted', {}, { unseen: true }),
      { tpm: 17, itpm: 12, otpm: 5, perDay: 134 },
    ],
    [
      'at least what was held if nobody read the answer',
      settle('abandoned', { output: 5 }, 'counted'),
      { tpm: 600, itpm: 100, otpm: 500, perDay: 5_000 },
    ],
    [
      'what was counted if nobody read on after more than was held',
      settle('abandoned', { output: 700 }),
      { tpm: 800, itpm: 100, otpm: 700, perDay: 7_200 },
    ],
    [
      'at least what was held if an answer that is no stream broke',
      settle('broken', { output: 5 }, undefined, {}, { stream: false }),
      { tpm: 600, itpm: 100, otpm: 500, perDay: 5_000 },
    ],
    [
      'nothing new for more writes of an hour than writes',
      settle('complete', { cacheWrite: 1, cacheWrite1h: 2, complete: true }),
      {},
    ],
    ['nothing new for a negative usage', settle('complete', { output: -1, complete: true }), {}],
    ['nothing new for a usage that is no number', settle('complete', { input: Number.NaN, complete: true }), {}],
    ['nothing new for more reasoning than output', settle('complete', { output: 1, reasoning: 2, complete: true }), {}],
  ])('charges %s', (_what, amounts, expected) => {
    expect(amounts).toEqual(expected);
  });

  it('leaves limits alone that are not of a plan', () => {
    expect(settle('refused', {})).not.toHaveProperty('own');
    expect(settle('complete', FINAL)).not.toHaveProperty('own');
  });

  it('is always a record of whole amounts, and never less than held for an unknown usage of money', () => {
    const tokens = fc.oneof(fc.nat(1_000_000), fc.constantFrom(-1, 0.5, Number.NaN, 2 ** 53));
    const usages = fc.record({
      input: tokens,
      cacheRead: tokens,
      cacheWrite: tokens,
      output: tokens,
      reasoning: tokens,
      complete: fc.boolean(),
    });
    const ends = fc.constantFrom<CallEnd>('complete', 'broken', 'refused', 'unsent', 'abandoned');
    fc.assert(
      fc.property(ends, usages, (end, usage) => {
        const amounts = settle(end, usage);
        for (const units of Object.values(amounts)) expect(Number.isSafeInteger(units) && units >= 0).toBe(true);
        const isUnknown = end === 'abandoned' || (end !== 'refused' && end !== 'unsent' && !usage.complete);
        if (isUnknown) expect(amounts.perDay ?? HELD.perDay).toBeGreaterThanOrEqual(HELD.perDay);
      }),
    );
  });
});

it('weights equal exact fractions for any tokens', () => {
  const weights = fc.integer({ min: 0, max: 100_000 });
  const tokens = fc.nat(1_000_000_000);
  fc.assert(
    fc.property(weights, weights, tokens, tokens, tokens, (read, write, input, cacheRead, cacheWrite) => {
      const rules: SettlementRules = {
        weights: checkedWeights({ cacheRead: read / 1000, cacheWrite: write / 1000 }),
        costOf,
        hold: EXPECTED,
      };
      const usage = { ...NONE, input, cacheRead, cacheWrite, complete: true };
      const exact = BigInt(input) * 1000n + BigInt(cacheRead) * BigInt(read) + BigInt(cacheWrite) * BigInt(write);
      const { tpm } = settlementOf(rules, () => 'tokens')(CALL, { end: 'complete', usage }, { tpm: 0 }).amounts;
      expect(BigInt(tpm as number)).toBe((exact + 999n) / 1000n);
    }),
  );
});

it.each([
  [{ cacheRead: -0.1 }, 'tokenWeights.cacheRead must be a number from 0 to 100'],
  [{ reasoning: Number.NaN }, 'tokenWeights.reasoning must be'],
  [{ cacheWrite: 0.0005 }, 'at most three decimals'],
  [{ cacheWrite: '1' }, 'tokenWeights.cacheWrite must be'],
  [{ cached: 0 }, 'tokenWeights.cached is not an option'],
])('refuses the weights %j', (weights, message) => {
  expect(() => checkedWeights(weights as object)).toThrow(message);
});

it('reads what a reservation holds from its verdicts', () => {
  const verdict = { name: 'tpm', cost: 600 } as Parameters<typeof heldBy>[0]['verdicts'][number];
  expect(heldBy({ verdicts: [verdict] })).toEqual({ tpm: 600 });
});
