import { describe, expect, it } from '@jest/globals';
import { concurrency, type Duration, type Limit, slidingWindow, tokenBucket, unlimited } from '@sluice/core';
import { emittedWarnings } from '@sluice/test-kit/emitted-warnings';
import fc from 'fast-check';
import { createLlm, LlmCallError, type LlmOptions, type LlmPlan, usd } from '../src/index.js';
import { costsOf, type Job, limited, PRICES, settleWith, usedOf } from './limited.js';

const PLAN: LlmPlan = {
  rpm: 10,
  rpd: 50,
  tpm: 1_000_000,
  tpd: 10_000_000,
  itpm: 1_000_000,
  otpm: 1_000_000,
  parallel: 5,
  perDay: usd('1'),
  perMonth: usd('30'),
};

describe('What a call holds', () => {
  it('is its estimated prompt and the cap of the caller, at each limit and at the price of its model', async () => {
    const { reserve } = limited({ plan: PLAN });
    const held = costsOf(await reserve({ max_tokens: 500 }));
    const input = held.itpm as number;
    expect(input).toBeGreaterThan(0);
    const tokens = input + 500;
    const money = input + 5_000;
    expect(held).toEqual({
      ...{ rpm: 1, rpd: 1, tpm: tokens, tpd: tokens, itpm: input, otpm: 500, parallel: 1 },
      ...{ perDay: money, perMonth: money },
    });
  });

  it.each<[what: string, options: Partial<LlmOptions<[Job]>>, body: object, output: number]>([
    ['1,024 tokens, if nothing is known', { plan: { otpm: 1e6 } }, {}, 1024],
    ['the expected output', { plan: { otpm: 1e6 }, expectedOutput: 300 }, {}, 300],
    ['what the function expects', { plan: { otpm: 1e6 }, expectedOutput: ({ stream }) => (stream ? 7 : 5) }, {}, 5],
    ['what it expects later', { plan: { otpm: 1e6 }, expectedOutput: async () => 9 }, {}, 9],
    ['the expected output of each choice', { plan: { otpm: 1e6 }, expectedOutput: 300 }, { n: 4 }, 1200],
    ['a cap of the caller, for each choice', { plan: { otpm: 1e6 } }, { max_tokens: 50, n: 3 }, 150],
    ["at most the model's own maximum", { plan: { otpm: 1e9 } }, { max_tokens: 999_999_999 }, 100_000],
    ["at most the model's own maximum, for each choice", { plan: { otpm: 1e9 } }, { max_tokens: 1e8, n: 2 }, 200_000],
    ['at most a quarter of the limit for a guess', { plan: { otpm: 100 } }, {}, 25],
    ['nothing for a guess, if the limit is tiny', { plan: { otpm: 3 } }, {}, 0],
    ['at most a quarter of the smallest limit', { plan: { otpm: 1e6, tpm: 400, tpd: 1000 } }, {}, 100],
    ['at most a quarter of a bucket', { plan: { otpm: tokenBucket({ capacity: 80, refillRate: 1 }) } }, {}, 20],
    ['at most a quarter of a budget', { plan: { otpm: 1e6, perDay: 400 } }, {}, 9],
    ['at most a quarter of a limit of its model', { plan: { otpm: 1e6, models: { 'gpt-5.6': { tpm: 40 } } } }, {}, 10],
    ['a guess that no limit of another model clamps', { plan: { otpm: 1e6, models: { free: { tpm: 40 } } } }, {}, 1024],
    ['a guess that unlimited() does not clamp', { plan: { otpm: 1e6, tpm: unlimited() } }, {}, 1024],
  ])('has for output %s', async (_what, options, body, output) => {
    const { reserve } = limited(options);
    const reservation = await reserve(body);
    expect(reservation.allowed).toBe(true);
    expect(costsOf(reservation).otpm).toBe(output);
  });

  it('never makes a call without a cap impossible by a guess, whatever the limits are', async () => {
    const numbers = fc.integer({ min: 20, max: 100_000 });
    const plans = fc.record({ tpm: numbers, tpd: numbers, otpm: numbers, perDay: numbers });
    await fc.assert(
      fc.asyncProperty(plans, fc.integer({ min: 1, max: 1e9 }), async (plan, expectedOutput) => {
        const { reserve } = limited({ plan, expectedOutput });
        expect((await reserve()).allowed).toBe(true);
      }),
    );
  });

  it('is counted exactly for the largest caps that can be written', async () => {
    const { reserve } = limited({ plan: { rpm: 5, perDay: usd('4000000000') } });
    for (const body of [{ max_tokens: Number.MAX_SAFE_INTEGER }, { n: Number.MAX_SAFE_INTEGER }]) {
      const reservation = await reserve({ model: 'gpt-5.6-mini', ...body });
      for (const cost of Object.values(costsOf(reservation))) expect(Number.isSafeInteger(cost)).toBe(true);
    }
  });

  it('is the cap of the caller even if that makes the call impossible', async () => {
    const { reserve } = limited({ plan: { tpm: 100 } });
    const refused = await reserve({ max_tokens: 101 });
    expect([refused.allowed, refused.retryAfterMs]).toEqual([false, 'never']);
  });

  it('is all bytes of the prompt in ceiling mode, at the dearest price', async () => {
    const content = '漢字仮名交じり文'.repeat(20);
    const body = { messages: [{ role: 'user', content }], max_tokens: 10 };
    const { reserve, llm } = limited({ plan: { itpm: 1e6, otpm: 1e6, perDay: usd('1') }, hold: 'ceiling' });
    const held = costsOf(await reserve(body));
    expect(held.itpm).toBeGreaterThanOrEqual(Buffer.byteLength(content));
    expect(held.perDay).toBe(PRICES.most('gpt-5.6', { input: held.itpm as number, output: 10 }));
    expect(llm.boundOf({ tpm: 100, parallel: 3 }, '1m').tokens).toBe(100);
  });
});

describe('A call without a cap in ceiling mode', () => {
  it.each<[what: string, options: Partial<LlmOptions<[Job]>>, body: object, cap: number]>([
    ["the model's own maximum", { plan: { otpm: 1e6 } }, {}, 100_000],
    ['a quarter of a limit', { plan: { otpm: 400 } }, {}, 100],
    ['the share of each choice', { plan: { otpm: 400 } }, { n: 4 }, 25],
    ['one token, if there is no room for more', { plan: { otpm: 2 } }, {}, 1],
    ['what all models make, if the maximum is not known', { plan: { otpm: 1e6 } }, { model: 'free' }, 4096],
  ])('holds and is sent with %s', async (_what, options, body, cap) => {
    const { llm, limiter, job } = limited({ hold: 'ceiling', ...options });
    const subject = job(body);
    const reservation = await limiter.reserve(subject);
    await llm.policy.extraHeaders(subject, reservation);
    expect(llm.callOf(subject)).toMatchObject({ sentCap: cap });
    const { held, call } = llm.callOf(subject) ?? {};
    expect(held?.output).toBe(cap * (call?.choices ?? 1));
  });
});

describe('The expected output of a model', () => {
  const answer = async (setup: ReturnType<typeof limited>, output: number, body = {}, cap = {}) => {
    const { reserve, llm } = setup;
    const reservation = await reserve(body);
    await settleWith(llm, reservation, { output }, 'gpt-5.6', cap);
  };

  it('is the 95th percentile of its answers without a cap, and follows them', async () => {
    const setup = limited({ plan: { otpm: 1e9 } });
    const expected = async (body = {}) => costsOf(await setup.reserve(body)).otpm as number;
    for (let i = 1; i < 20; i += 1) await answer(setup, 10 * i);
    expect(await expected()).toBe(1024);
    await answer(setup, 200);
    expect(await expected()).toBeGreaterThanOrEqual(190);
    expect(await expected()).toBeLessThanOrEqual(190 * 1.1);
    expect(await expected({ model: 'free' })).toBe(1024);
    for (let i = 0; i < 3000; i += 1) await answer(setup, 5);
    expect(await expected()).toBeLessThanOrEqual(6);
  });

  it('learns nothing from answers under a cap, which callers choose', async () => {
    const setup = limited({ plan: { otpm: 1e9 } });
    for (let i = 0; i < 100; i += 1) await answer(setup, 1, { max_tokens: 1 }, { outputCap: 1 });
    expect(costsOf(await setup.reserve()).otpm).toBe(1024);
  });
});

describe('The settlement of a call that the application sends by itself', () => {
  it('keeps the money that it holds, if its model has no price', async () => {
    const { llm, limiter, job, reserve } = limited({ plan: { tpm: 1e9, perDay: 1e9 } });
    const reservation = await reserve({ max_tokens: 100 });
    const { perDay } = costsOf(reservation);
    await settleWith(llm, reservation, { input: 3, output: 4 }, 'gpt-9');
    expect(usedOf(await limiter.peek(job()))).toEqual({ tpm: 7, perDay });
  });

  it('frees its slot, keeps its charge and warns, if a price table of the application fails', async () => {
    const warnings = emittedWarnings();
    const prices = {
      ...PRICES,
      cost() {
        throw new Error('no rates today');
      },
    };
    const { llm, limiter, job, reserve } = limited({ plan: { parallel: 1, perDay: 1e9 }, prices, hold: 'ceiling' });
    const reservation = await reserve({ max_tokens: 100 });
    const { perDay } = costsOf(reservation);
    await settleWith(llm, reservation, { input: 3, output: 4 });
    expect(usedOf(await limiter.peek(job()))).toEqual({ parallel: 0, perDay });
    expect(warnings).toMatchObject([
      { code: 'SLUICE_HOOK_FAILED', message: expect.stringContaining('no rates today') },
    ]);
  });
});

describe('The limits of a plan', () => {
  it.each<[name: keyof LlmPlan, calls: number, limit: number, lasts: Duration]>([
    ['rpm', 3, 3, '61s'],
    ['rpd', 3, 3, '1d'],
    ['parallel', 3, 3, '31s'],
  ])('%s counts calls', async (name, calls, limit, lasts) => {
    const { reserve, clock } = limited({ plan: { [name]: limit } });
    for (let i = 0; i < calls; i += 1) expect((await reserve()).allowed).toBe(true);
    expect((await reserve()).allowed).toBe(false);
    expect((await reserve({}, 'bob')).allowed).toBe(true);
    if (name === 'parallel') return;
    clock.advance(lasts);
    expect((await reserve()).allowed).toBe(true);
  });

  it('takes Limits as they are, and keeps what was spent when a plan changes', async () => {
    const plans: LlmPlan[] = [{ rpm: 2 }, { rpm: slidingWindow({ limit: 4, window: '1m' }) }, {}, { rpm: unlimited() }];
    let plan = plans[0] as LlmPlan;
    const { reserve } = limited({ plan: () => plan });
    const admitted = async () => (await reserve()).allowed;
    expect([await admitted(), await admitted(), await admitted()]).toEqual([true, true, false]);
    plan = plans[1] as LlmPlan;
    expect([await admitted(), await admitted(), await admitted()]).toEqual([true, true, false]);
    for (plan of plans.slice(2)) expect([await admitted(), await admitted()]).toEqual([true, true]);
  });

  it('chooses plans by a function, also a later one, and an empty plan limits nothing', async () => {
    const plans: Record<string, LlmPlan> = { ann: { rpm: 1 }, bob: {} };
    for (const plan of [({ user }: Job) => plans[user] as LlmPlan, async ({ user }: Job) => plans[user] as LlmPlan]) {
      const { reserve } = limited({ plan });
      expect([(await reserve()).allowed, (await reserve()).allowed]).toEqual([true, false]);
      for (let i = 0; i < 20; i += 1) expect((await reserve({}, 'bob')).allowed).toBe(true);
    }
    const { reserve } = limited({ plan: {} });
    expect(costsOf(await reserve())).toEqual({ rpm: 1 });
  });

  it('counts models apart beside the own limits of the plan, and an alias as its model', async () => {
    const plan: LlmPlan = { rpm: 4, models: { best: { rpm: 1 }, 'gpt-5.6-mini': { rpm: 2 } } };
    const { reserve } = limited({ plan });
    const admitted = async (model: string) => (await reserve({ model })).allowed;
    expect([await admitted('gpt-5.6'), await admitted('gpt-5.6')]).toEqual([true, false]);
    expect(await admitted('best')).toBe(false);
    expect([await admitted('gpt-5.6-mini'), await admitted('gpt-5.6-mini'), await admitted('gpt-5.6-mini')]).toEqual([
      true,
      true,
      false,
    ]);
    expect([await admitted('free'), await admitted('free')]).toEqual([true, false]);
  });

  it('counts scopes by their own keys in the same step', async () => {
    const { reserve } = limited({
      plan: { rpm: 3 },
      scopes: { org: { plan: { rpm: 4, models: { free: { rpm: 1 } } }, keyGenerator: () => 'acme' } },
    });
    for (let i = 0; i < 3; i += 1) expect((await reserve()).allowed).toBe(true);
    const refused = await reserve();
    expect(usedOf(refused)).toEqual({ rpm: 3, 'org-rpm': 3, 'org-model-rpm': 0 });
    expect((await reserve({ model: 'free' }, 'bob')).allowed).toBe(true);
    expect(costsOf(await reserve({ model: 'free' }, 'bob'))).toHaveProperty('org-model-rpm', 1);
    expect((await reserve({}, 'cyd')).allowed).toBe(false);
  });

  it('reads the body and the plan once for each decision, however many limits there are', async () => {
    let [bodies, plans] = [0, 0];
    const { reserve } = limited({
      call: async ({ body }: Job) => {
        bodies += 1;
        return body;
      },
      plan: () => {
        plans += 1;
        return { ...PLAN, models: { 'gpt-5.6': PLAN } };
      },
    });
    expect((await reserve()).allowed).toBe(true);
    expect([bodies, plans]).toEqual([1, 1]);
    expect((await reserve()).allowed).toBe(true);
    expect([bodies, plans]).toEqual([2, 2]);
  });

  it('never passes 100 tokens that five calls at once would hold together', async () => {
    const { reserve } = limited({ plan: { tpm: 100 } });
    const wants = [58, 80, 175, 175, 175];
    const input = costsOf(await reserve({ max_tokens: 0 }, 'probe')).tpm as number;
    const reservations = await Promise.all(wants.map((tokens) => reserve({ max_tokens: tokens - input })));
    const held = reservations.filter(({ allowed }) => allowed).map((one) => costsOf(one).tpm);
    expect(held).toEqual([58]);
  });

  it('admits the first call of seven tokens without a cap at 100 tokens a minute, with at most 25 for output', async () => {
    const { reserve } = limited({ plan: { tpm: 100, otpm: 100 } });
    const body = { messages: [{ role: 'user', content: 'one two three four five six seven' }] };
    const first = await reserve(body);
    expect(first.allowed).toBe(true);
    expect(costsOf(first).otpm).toBeLessThanOrEqual(25);
  });

  it('counts cached tokens by their weight: 8,000 of 10,000 cached leave five calls a minute at 10,000', async () => {
    const { reserve, llm } = limited({ plan: { tpm: 10_000 } });
    for (let i = 0; i < 5; i += 1) {
      const reservation = await reserve({ max_tokens: 0 });
      expect(reservation.allowed).toBe(true);
      await settleWith(llm, reservation, { input: 2_000, cacheRead: 8_000 });
    }
    const refused = await reserve({ max_tokens: 0 });
    expect([refused.allowed, usedOf(refused).tpm]).toEqual([false, 10_000]);
  });

  it('expresses $50,000 a month and ten thousand million tokens a month', () => {
    const { llm } = limited({ plan: { perMonth: usd('50000'), tpd: 10_000_000_000 } });
    expect(llm.policy.limits.map(({ name }) => name)).toEqual(['tpd', 'perMonth', 'held']);
  });
});

describe('A call that makes no sense', () => {
  it.each<[what: string, body: unknown, field: string]>([
    ['no body', null, 'body'],
    ['text', 'hello', 'body'],
    ['no model', { model: undefined }, 'model'],
    ['a cap that is no number', { max_tokens: '12' }, 'max_tokens'],
    ['a model without a price', { model: 'gpt-9' }, 'model'],
  ])('is refused by the name of the field, and spends nothing: %s', async (_what, body, field) => {
    const { reserve, limiter } = limited({ plan: { rpm: 5 } });
    await expect(reserve(body as object)).rejects.toThrow(LlmCallError);
    await expect(reserve(body as object)).rejects.toMatchObject({ code: 'SLUICE_LLM_CALL', field });
    expect((await limiter.peek({ user: 'ann', body: { model: 'free', prompt: 'x' } })).tightest.used).toBe(0);
  });

  it('names the model that has no price', async () => {
    const { reserve } = limited({ plan: {} });
    await expect(reserve({ model: 'gpt-9' })).rejects.toThrow('gpt-9');
  });
});

describe('A wrong option of createLlm', () => {
  const call = ({ body }: Job) => body;
  const wrong: readonly [options: object | undefined, path: string, message: RegExp][] = [
    [undefined, 'options', /must be an object/],
    [{ plan: {} }, 'call', /must be a function/],
    [{ call }, 'plan', /must be a plan/],
    [{ call, plan: 5 }, 'plan', /must be a plan/],
    [{ call, plan: { rpm: -1 } }, 'plan.rpm', /whole number from 0 to 4503599627370495, got -1/],
    [{ call, plan: { tpm: '10' } }, 'plan.tpm', /whole number/],
    [{ call, plan: { tpm: Number.NaN } }, 'plan.tpm', /whole number/],
    [{ call, plan: { tpm: 2 ** 53 } }, 'plan.tpm', /whole number/],
    [{ call, plan: { parallel: 10_001 } }, 'plan.parallel', /10000/],
    [{ call, plan: { tokens: 5 } }, 'plan.tokens', /is not an option/],
    [{ call, plan: { parallel: slidingWindow({ limit: 1, window: '1m' }) } }, 'plan.parallel', /concurrency\(/],
    [{ call, plan: { tpm: concurrency({ limit: 1, lease: '1m' }) } }, 'plan.tpm', /must not be a concurrency/],
    [
      { call, plan: { perDay: concurrency({ limit: 1, lease: '1m' }) }, prices: PRICES },
      'plan.perDay',
      /must not be a concurrency/,
    ],
    [{ call, plan: { perDay: 5, timeZone: 'Mars' }, prices: PRICES }, 'plan.timeZone', /IANA/],
    [
      { call, plan: { models: { 'gpt-5.6': { timeZone: 'Asia/Seoul' } } } },
      'plan.models["gpt-5.6"].timeZone',
      /is not an option/,
    ],
    [{ call, plan: { perDay: 5 } }, 'plan', /needs the option prices/],
    [{ call, plan: { models: [] } }, 'plan.models', /must be an object of limits by model/],
    [{ call, plan: { models: { a: { rpm: 0.5 } } } }, 'plan.models["a"].rpm', /whole number/],
    [{ call, plan: { models: { a: { models: {} } } } }, 'plan.models["a"].models', /is not an option/],
    [{ call, plan: {}, prices: {} }, 'prices', /priceTable\(/],
    [{ call, plan: {}, timeZone: 'Mars' }, 'timeZone', /IANA/],
    [{ call, plan: {}, tokenWeights: { cacheRead: 2000 } }, 'tokenWeights.cacheRead', /from 0 to 100/],
    [
      { call, plan: {}, hold: 'ceiling', tokenWeights: { reasoning: 2 } },
      'tokenWeights.reasoning',
      /from 0 to 1 .*ceiling/,
    ],
    [{ call, plan: { models: { 'gpt-9': { rpm: 1 } } }, prices: PRICES }, 'plan.models["gpt-9"]', /with a price/],
    [
      { call, plan: { models: { 'gpt-5.6': { rpm: 1 }, best: { rpm: 1 } } }, prices: PRICES },
      'plan.models["best"]',
      /beside gpt-5\.6/,
    ],
    [{ call, plan: {}, hold: 'all' }, 'hold', /one of "expected", "ceiling"/],
    [{ call, plan: {}, hold: { tokens: 'all' } }, 'hold.tokens', /one of "expected", "ceiling"/],
    [{ call, plan: {}, hold: { output: 'ceiling' } }, 'hold.output', /is not an option/],
    [{ call, plan: {}, hold: 'ceiling', expectedOutput: 9 }, 'expectedOutput', /maxOutput of prices/],
    [{ call, plan: {}, reserve: 'expected' }, 'reserve', /is not an option/],
    [{ call, plan: {}, expectedOutput: 1.5 }, 'expectedOutput', /whole number/],
    [{ call, plan: {}, unknownUsage: 'free' }, 'unknownUsage', /one of "counted", "reserved"/],
    [{ call, plan: {}, maxHold: 0 }, 'maxHold', /duration/],
    [{ call, plan: {}, headers: true }, 'headers', /one of/],
    [{ call, plan: {}, errors: 'json' }, 'errors', /one of/],
    [{ call, plan: {}, budgetStatus: 500 }, 'budgetStatus', /one of 429, 402, 403/],
    [{ call, plan: {}, showBudget: 1 }, 'showBudget', /one of/],
    [{ call, plan: {}, clock: {} }, 'clock', /now\(\)/],
    [{ call, plan: {}, read: { format: 'soap' } }, 'read.format', /one of/],
    [{ call, plan: {}, scopes: [] }, 'scopes', /must be an object of plans/],
    [{ call, plan: {}, scopes: { model: { plan: {}, keyGenerator: call } } }, 'scopes.model', /not 'model'/],
    [{ call, plan: {}, scopes: { 'a-b': { plan: {}, keyGenerator: call } } }, 'scopes.a-b', /ASCII letters/],
    [{ call, plan: {}, scopes: { org: { plan: {} } } }, 'scopes.org.keyGenerator', /is needed/],
    [{ call, plan: {}, scopes: { org: { keyGenerator: call } } }, 'scopes.org.plan', /must be a plan/],
    [{ call, plan: {}, scopes: { org: { plan: { rpm: -1 }, keyGenerator: call } } }, 'scopes.org.plan.rpm', /whole/],
  ];

  it.each(wrong)('is refused: %j', (options, path, message) => {
    const make = () => createLlm(options as LlmOptions<[Job]>);
    expect(make).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
    expect(make).toThrow(message);
  });

  it.each<[plan: unknown, path: string]>([
    [undefined, 'plan()'],
    [{ rpm: -1 }, 'plan().rpm'],
    [{ rpm: {} as Limit }, 'plan().rpm'],
  ])('is an error of the call, if a function returns the plan %j', async (plan, path) => {
    const { reserve } = limited({ plan: () => plan as LlmPlan });
    await expect(reserve()).rejects.toMatchObject({ code: 'SLUICE_OPTION', path });
  });

  it('is an error of the call, if a function expects no number', async () => {
    const { reserve } = limited({ plan: { otpm: 5 }, expectedOutput: () => -1 });
    await expect(reserve()).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'expectedOutput()' });
  });
});
