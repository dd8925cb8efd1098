import { describe, expect, it, jest } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { type Hold, type LlmPlan, readCall, usd } from '../../src/index.js';
import { costsOf, limited, PRICES, settleWith, usedOf } from '../limited.js';

const PROMPT = { messages: [{ role: 'user', content: 'Tell me about the harbour of Genoa, and about its ships.' }] };
const { input, inputCeiling } = readCall({ model: 'gpt-5.6', ...PROMPT });

/** What a call holds at each limit, and the cap that it is sent with. */
async function heldBy(hold: Hold, plan: LlmPlan, body: object = {}) {
  const { llm, limiter, job } = limited({ plan, hold });
  const subject = job({ ...PROMPT, ...body });
  const reservation = await limiter.reserve(subject);
  await llm.policy.extraHeaders(subject, reservation);
  return { costs: costsOf(reservation), sentCap: llm.callOf(subject)?.sentCap };
}

describe('By default, a call', () => {
  it('holds the most that it can cost in money, and the expected size in tokens', async () => {
    const { costs, sentCap } = await heldBy({}, { tpm: 1e6, perDay: usd('50') });
    expect(costs).toEqual({
      tpm: input + 1024,
      perDay: PRICES.most('gpt-5.6', { input: inputCeiling, output: 100_000 }),
    });
    expect(sentCap).toBe(100_000);
  });

  it('expects no more output than it is sent with', async () => {
    const { costs, sentCap } = await heldBy({}, { otpm: 1e6, perDay: 4000 });
    expect(sentCap).toBeLessThan(100);
    expect(costs.otpm).toBe(sentCap);
  });

  it.each<[what: string, plan: LlmPlan]>([
    ['no limit counts money', { tpm: 1e6, rpm: 5 }],
    ['its own limits count none', { tpm: 1e6, models: { free: { perDay: 5 } } }],
  ])('is sent as it is if %s', async (_what, plan) => {
    expect((await heldBy({}, plan)).sentCap).toBeUndefined();
  });

  it('is sent with a cap that everyone can make, and one warning, if its price does not say how much its model makes', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { limiter, job } = limited({ plan: { perDay: usd('50') }, hold: {} });
    for (let i = 0; i < 2; i += 1) {
      const reservation = await limiter.reserve(job({ ...PROMPT, model: 'gpt-5.6-mini' }));
      expect(costsOf(reservation)).toEqual({
        perDay: PRICES.most('gpt-5.6-mini', { input: inputCeiling, output: 4096 }),
      });
    }
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining('gpt-5.6-mini'), expect.objectContaining({ code: 'SLUICE_LLM_MAX_OUTPUT' })],
    ]);
    warn.mockRestore();
  });

  it('keeps a budget if three callers at once get long answers: what is billed is never above it', async () => {
    const budget = usd('1');
    const clock = new ManualClock();
    const { llm, limiter, job } = limited({ plan: { tpm: 1e6, perDay: budget }, hold: {} }, clock);
    let billed = 0;
    let refused = 0;
    const caller = async (): Promise<void> => {
      for (let i = 0; i < 20; i += 1) {
        const subject = job(PROMPT);
        const reservation = await limiter.reserve(subject);
        await llm.policy.extraHeaders(subject, reservation);
        const admitted = llm.callOf(subject);
        if (!admitted) {
          refused += 1;
          continue;
        }
        // All are under way before one of them ends.
        await new Promise(setImmediate);
        // The provider makes as much as it is asked for, of a prompt of which each byte is a token.
        const usage = { input: inputCeiling, output: admitted.sentCap as number };
        billed += PRICES.cost('gpt-5.6', { ...usage, cacheRead: 0, cacheWrite: 0 });
        await settleWith(llm, reservation, usage);
        clock.advance('1m');
      }
    };
    await Promise.all([caller(), caller(), caller()]);
    expect(billed).toBeLessThanOrEqual(budget);
    expect(billed).toBeGreaterThan(budget * 0.7);
    expect(refused).toBeGreaterThan(0);
    expect(llm.boundOf({ perDay: budget }, '1d').microDollars).toBe(2 * budget);
  });
});

describe('The option hold', () => {
  it.each<[hold: Hold, tpm: number, perDay: number, cap: number | undefined]>([
    ['expected', input + 1024, input + 10 * 1024, undefined],
    [{ money: 'expected' }, input + 1024, input + 10 * 1024, undefined],
    ['ceiling', inputCeiling + 100_000, inputCeiling + 1e6, 100_000],
    [{ tokens: 'ceiling', money: 'expected' }, inputCeiling + 100_000, input + 10 * 1024, 100_000],
  ])('%j decides for tokens and for money', async (hold, tpm, perDay, cap) => {
    const { costs, sentCap } = await heldBy(hold, { tpm: 1e6, perDay: usd('50') });
    expect(costs).toEqual({ tpm, perDay });
    expect(sentCap).toBe(cap);
  });

  it.each<[hold: Hold, tpm: number, perDay: number]>([
    [{}, input, 1e6 + inputCeiling],
    ['ceiling', inputCeiling + 100_000, 1e6 + inputCeiling],
    ['expected', input, input + 10 * 1024],
  ])('%j decides what a broken stream is charged at least', async (hold, tpm, perDay) => {
    const { llm, limiter, job } = limited({ plan: { tpm: 1e6, perDay: usd('50') }, hold });
    const subject = job({ ...PROMPT, stream: true });
    const reservation = await limiter.reserve(subject);
    await llm.meter(reservation, readCall(subject.body)).end('broken');
    expect(usedOf(await limiter.peek(job(PROMPT)))).toEqual({ tpm, perDay });
  });
});
