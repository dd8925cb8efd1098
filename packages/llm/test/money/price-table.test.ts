import { describe, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow } from '@sluice/core';
import { seededRandom } from '../../../test-kit/src/seeded-random.js';
import { LlmCallError, type Price, priceTable, usd } from '../../src/index.js';

const NONE = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

describe('a price table', () => {
  it('charges each class of tokens its own rate', () => {
    const prices = priceTable({
      m: { input: '3', cacheRead: '0.30', cacheWrite: { '5m': '3.75', '1h': '6' }, output: '15', perCall: '0.01' },
    });
    const million = 1_000_000;
    expect(prices.cost('m', { ...NONE, input: million })).toBe(usd('3.01'));
    expect(prices.cost('m', { ...NONE, cacheRead: million })).toBe(usd('0.31'));
    expect(prices.cost('m', { ...NONE, cacheWrite: million })).toBe(usd('3.76'));
    expect(prices.cost('m', { ...NONE, cacheWrite: million, cacheWrite1h: million })).toBe(usd('6.01'));
    expect(prices.cost('m', { ...NONE, cacheWrite: million, cacheWrite1h: million / 2 })).toBe(usd('4.885'));
    expect(prices.cost('m', { ...NONE, output: million })).toBe(usd('15.01'));
    expect(prices.cost('m', NONE)).toBe(usd('0.01'));
  });

  it('charges cached tokens as input if the price does not name them', () => {
    const prices = priceTable({ m: { input: '3', output: '15' } });
    expect(prices.cost('m', { input: 10, cacheRead: 20, cacheWrite: 30, cacheWrite1h: 5, output: 0 })).toBe(180);
  });

  it('rounds up once for a call, and not once for each class', () => {
    const prices = priceTable({ m: { input: '0.4', cacheRead: '0.4', cacheWrite: '0.4', output: '0.4' } });
    expect(prices.cost('m', { ...NONE, input: 1 })).toBe(1);
    expect(prices.cost('m', { input: 1, cacheRead: 1, cacheWrite: 0, output: 0 })).toBe(1);
    expect(prices.cost('m', { input: 1, cacheRead: 1, cacheWrite: 1, output: 2 })).toBe(2);
    expect(prices.cost('m', NONE)).toBe(0);
  });

  it('uses the rates of long prompts for the whole call, cached tokens included', () => {
    const prices = priceTable({
      m: { input: '1', output: '2', above: { inputTokens: 200_000, input: '10', output: '20', cacheRead: '5' } },
    });
    expect(prices.cost('m', { ...NONE, input: 200_000, output: 100 })).toBe(200_200);
    expect(prices.cost('m', { ...NONE, input: 1, cacheRead: 200_000, output: 100 })).toBe(1_002_010);
  });

  it('states the most that a call can cost, whatever is cached and however long the prompt is in the end', () => {
    const prices = priceTable({
      m: { input: '3', cacheRead: '0.3', cacheWrite: { '5m': '3.75', '1h': '6' }, output: '15' },
      odd: { input: '8', output: '8', above: { inputTokens: 10, input: '1', output: '1' } },
    });
    expect(prices.most('m', { input: 100, output: 10 })).toBe(750);
    expect(prices.most('odd', { input: 11, output: 1 })).toBe(96);
    for (const cacheRead of [0, 4, 11]) {
      const usage = { input: 11 - cacheRead, cacheRead, cacheWrite: 0, output: 1 };
      expect(prices.cost('m', usage)).toBeLessThanOrEqual(prices.most('m', { input: 11, output: 1 }));
    }
  });

  it('agrees with BigInt for 100,000 random usages and prices', () => {
    const next = seededRandom(12);
    const whole = (most: number): number => Math.floor(next() ** 4 * most);
    const text = (micros: number): string => `${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, '0')}`;
    let large = 0;
    for (let i = 0; i < 100; i++) {
      const rates = Array.from({ length: 6 }, () => whole(900e6));
      const [input = 0, cacheRead = 0, short = 0, long = 0, output = 0, perCall = 0] = rates;
      const price = { input: text(input), cacheRead: text(cacheRead), output: text(output), perCall: text(perCall) };
      const prices = priceTable({ m: { ...price, cacheWrite: { '5m': text(short), '1h': text(long) } } });
      for (let j = 0; j < 1000; j++) {
        const most = 10 ** (3 + (j % 8));
        const tokens = Array.from({ length: 5 }, () => whole(most));
        const [a = 0, b = 0, c = 0, d = 0, e = 0] = tokens;
        const cost = prices.cost('m', { input: a, cacheRead: b, cacheWrite: c + d, cacheWrite1h: d, output: e });
        const sum = [a, b, c, d, e].reduce((sum, count, k) => sum + BigInt(count) * BigInt(rates[k] as number), 0n);
        const expected = (sum + BigInt(perCall) * 1_000_000n + 999_999n) / 1_000_000n;
        if (BigInt(cost) !== expected) throw new Error(`${cost} instead of ${expected} for ${tokens} at ${rates}`);
        if (sum > 2n ** 53n) large++;
      }
    }
    expect(large).toBeGreaterThan(1000);
  });

  it('stays a whole number where the cost passes all numbers', () => {
    const prices = priceTable({ m: { input: '9000000000', output: '0' } });
    expect(prices.cost('m', { ...NONE, input: Number.MAX_SAFE_INTEGER })).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    [{ ...NONE, input: -1 }],
    [{ ...NONE, output: 1.5 }],
    [{ ...NONE, cacheRead: Number.NaN }],
    [{ ...NONE, cacheWrite: 1, cacheWrite1h: 2 }],
    [{ ...NONE, input: '5' as unknown as number }],
  ])('refuses tokens that are no whole numbers: %p', (tokens) => {
    const prices = priceTable({ m: { input: '1', output: '1' } });
    expect(() => prices.cost('m', tokens)).toThrow(expect.objectContaining({ code: 'SLUICE_COST' }));
  });
});

describe('budgets of any usual size', () => {
  it('can be stated: $50,000 and 10 billion tokens a month', () => {
    const window = { unit: 'month', timeZone: 'UTC' } as const;
    const dollars = createLimiter({ name: 'dollars', limit: fixedWindow({ limit: usd('50000'), window }) });
    const tokens = createLimiter({ name: 'tokens', limit: fixedWindow({ limit: 10_000_000_000, window }) });
    expect(dollars.consume('ann', { cost: usd('49999.999999') }).tightest.remaining).toBe(1);
    expect(tokens.consume('ann', { cost: 9_999_999_999 }).tightest.remaining).toBe(1);
  });

  it('add up exactly: 250,000 calls of $0.0001 are $25', () => {
    const limit = fixedWindow({ limit: usd('50'), window: { unit: 'month', timeZone: 'UTC' } });
    const limiter = createLimiter({ limit });
    const cost = usd('0.0001');
    limiter.consume('ann', { cost: 249_000 * cost });
    for (let i = 1; i < 1000; i++) limiter.consume('ann', { cost });
    expect(limiter.consume('ann', { cost }).tightest.used).toBe(25_000_000);
  });
});

describe('a model that the table does not list', () => {
  const price: Price = { input: '1', output: '1' };

  it('is refused by name', () => {
    const prices = priceTable({ a: price });
    for (const model of ['gpt-9', '__proto__', 'constructor', '']) {
      expect(prices.has(model)).toBe(false);
      const refusal = { code: 'SLUICE_LLM_CALL', field: 'model', status: 400, received: model };
      expect(() => prices.cost(model, NONE)).toThrow(expect.objectContaining(refusal));
      expect(() => prices.most(model, NONE)).toThrow(LlmCallError);
    }
    expect(() => prices.cost('gpt-9', NONE)).toThrow('must be one that the price table lists, got "gpt-9"');
  });

  it('has the price for unknown models if there is one', () => {
    const prices = priceTable({ a: price }, { unknown: { input: '20', output: '80' } });
    expect(prices.has('b')).toBe(true);
    expect(prices.cost('b', { ...NONE, input: 1, output: 1 })).toBe(100);
    expect(prices.cost('a', { ...NONE, input: 1, output: 1 })).toBe(2);
  });
});

describe('aliases', () => {
  const price: Price = { input: '1', output: '1' };
  const prices = priceTable(
    { 'gpt-5.6': price, 'gpt-5.6-2025-01-01': { input: '9', output: '9' }, claude: price },
    { aliases: { best: 'gpt-5.6', 'gpt-5.6-{date}': 'gpt-5.6', 'claude@{date}': 'claude' } },
  );

  it.each([
    ['best', 1],
    ['gpt-5.6-2026-03-01', 1],
    ['claude@20260301', 1],
    ['gpt-5.6-2025-01-01', 9],
  ])('gives %s its price', (model, cost) => {
    expect(prices.cost(model, { ...NONE, input: 1 })).toBe(cost);
  });

  it.each([
    'gpt-5.6-pro',
    'gpt-5.6-pro-2026-03-01',
    'gpt-5.6-2026-13-01',
    'gpt-5.6-1234',
    'gpt-5.6-',
    '2026-03-01',
    'x-2026-03-01',
  ])('does not guess a price for %s', (model) => {
    expect(prices.has(model)).toBe(false);
  });

  it('are named by what they stand for', () => {
    expect(prices.nameOf('gpt-5.6-2026-03-01')).toBe('gpt-5.6');
    expect(prices.nameOf('gpt-5.6-2025-01-01')).toBe('gpt-5.6-2025-01-01');
    expect(prices.nameOf('gpt-5.6')).toBe('gpt-5.6');
    expect(prices.nameOf('gpt-9')).toBeUndefined();
  });

  it('have the largest output of what they stand for', () => {
    const table = priceTable({ a: { ...price, maxOutput: 4096 }, b: price }, { aliases: { c: 'a' } });
    expect(['a', 'b', 'c', 'd'].map((model) => table.maxOutput(model))).toEqual([4096, undefined, 4096, undefined]);
  });

  it('does not cut dates off by itself', () => {
    expect(priceTable({ 'gpt-5.6': price }).has('gpt-5.6-2026-03-01')).toBe(false);
  });

  it('has to name a listed model', () => {
    expect(() => priceTable({ a: price }, { aliases: { b: 'c' } })).toThrow(
      'aliases["b"] must be a listed model, got "c" (SLUICE_OPTION)',
    );
    expect(() => priceTable({ a: price, b: price }, { aliases: { b: 'a' } })).toThrow(
      'aliases["b"] must not be a listed model itself, got "a" (SLUICE_OPTION)',
    );
    expect(() => priceTable({ a: price }, { aliases: { 'x-{date}-y': 'a' } })).toThrow(
      'must have {date} at its end alone',
    );
    // An alias of an alias is refused, too: whoever reads the table sees each price at once.
    expect(() => priceTable({ a: price }, { aliases: { b: 'a', c: 'b' } })).toThrow('aliases["c"]');
  });
});

describe('a wrong price', () => {
  it.each<[unknown, string]>([
    [{ input: '1' }, 'prices["m"].output is needed'],
    [{ output: '1' }, 'prices["m"].input is needed'],
    [{ input: 'free', output: '1' }, 'prices["m"].input must be dollars as decimal text'],
    [{ input: '-1', output: '1' }, 'prices["m"].input must be dollars as decimal text'],
    [{ input: 0.1, output: '1' }, 'prices["m"].input must be text, such as "0.10"'],
    [{ input: '1', output: null }, 'prices["m"].output must be dollars'],
    [{ input: '1', output: '1', cacheWrite: { '5m': '1' } }, 'prices["m"].cacheWrite["1h"] must be dollars'],
    [
      { input: '1', output: '1', cacheWrite: { '5m': '1', '1h': '1', '2h': '1' } },
      'prices["m"].cacheWrite.2h is not an',
    ],
    [{ input: '1', output: '1', cacheReads: '1' }, 'prices["m"].cacheReads is not an option'],
    [{ input: '1', output: '1', above: { input: '1', output: '1' } }, 'prices["m"].above.inputTokens must be a whole'],
    [{ input: '1', output: '1', above: { inputTokens: 5, input: '1' } }, 'prices["m"].above.output is needed'],
    [{ input: '1', output: '1', maxOutput: 0 }, 'prices["m"].maxOutput must be a whole number of at least 1'],
    ['1', 'prices["m"] must be an object'],
    [null, 'prices["m"] must be an object'],
  ])('is refused: %j', (price, message) => {
    expect(() => priceTable({ m: price as Price })).toThrow(message);
    expect(() => priceTable({ m: price as Price })).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION' }));
    expect(() => priceTable({}, { unknown: price as Price })).toThrow(message.replaceAll('prices["m"]', 'unknown'));
  });

  it.each([null, undefined, [], 'x'])('is refused as a table: %p', (table) => {
    expect(() => priceTable(table as never)).toThrow('prices must be an object of prices by model');
  });
});
