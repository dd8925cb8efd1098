import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore, SluiceError, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import fc from 'fast-check';
import type { OutgoingCall } from '../../src/fetch/index.js';
import { createLlm, type LlmPlan, usd } from '../../src/index.js';
import { dollarText } from '../../src/money/dollar-text.js';
import { createFakeProvider } from '../../src/testing/index.js';
import { chat, outgoing } from '../fetch/outgoing.js';
import { type Job, limited, PRICES, settleWith } from '../limited.js';

/** Noon, so that a day and a month end later. */
const NOON = Date.parse('2026-11-29T12:00:00Z');

const PLAN: LlmPlan = { rpm: 10, tpm: 100_000, parallel: 5, perDay: usd('1'), perMonth: usd('30') };

const coded = (code: string) => expect.objectContaining({ code });

/** Counts how often a store is asked. */
function counting(store: Store): { readonly store: Store; readonly asked: () => number } {
  let asked = 0;
  const consume: Store['consume'] = (request) => {
    asked += 1;
    return store.consume(request);
  };
  return { store: Object.assign(Object.create(store), { consume }), asked: () => asked };
}

describe('What a key has spent', () => {
  it('is nothing before its first call, and says when each budget ends', async () => {
    const { llm } = limited({ plan: PLAN }, new ManualClock(NOON));
    const { policy, at, budgets, limits } = await llm.spend('ann');
    expect([policy, at]).toEqual(['llm', '2026-11-29T12:00:00.000Z']);
    const nothing = { spent: 0, held: 0 };
    expect(budgets).toEqual([
      {
        ...{ name: 'perDay', period: 'day', resetAt: '2026-11-30T00:00:00.000Z' },
        ...{ limit: 1_000_000, ...nothing, left: 1_000_000 },
        dollars: { limit: '1', spent: '0', held: '0', left: '1' },
      },
      {
        ...{ name: 'perMonth', period: 'month', resetAt: '2026-12-01T00:00:00.000Z' },
        ...{ limit: 30_000_000, ...nothing, left: 30_000_000 },
        dollars: { limit: '30', spent: '0', held: '0', left: '30' },
      },
    ]);
    expect(limits.map(({ name, unit, limit, used, left }) => [name, unit, limit, used, left])).toEqual([
      ['rpm', 'requests', 10, 0, 10],
      ['tpm', 'tokens', 100_000, 0, 100_000],
      ['parallel', 'concurrent-requests', 5, 0, 5],
    ]);
  });

  it('is apart from what calls under way hold, and is right when they end', async () => {
    const { llm, reserve } = limited({ plan: PLAN });
    const first = await reserve({ max_tokens: 1000 });
    const second = await reserve({ max_tokens: 1000 });
    const cost = first.verdicts.find(({ name }) => name === 'perDay')?.cost as number;
    const amounts = async () => {
      const { budgets } = await llm.spend('ann');
      return budgets.map(({ spent, held, left }) => [spent, held, left]);
    };
    expect(await amounts()).toEqual([
      [0, 2 * cost, 1_000_000 - 2 * cost],
      [0, 2 * cost, 30_000_000 - 2 * cost],
    ]);
    await settleWith(llm, first, { input: 4, output: 12 });
    expect(await amounts()).toEqual([
      [124, cost, 1_000_000 - 124 - cost],
      [124, cost, 30_000_000 - 124 - cost],
    ]);
    await second.cancel();
    expect(await amounts()).toEqual([
      [124, 0, 999_876],
      [124, 0, 29_999_876],
    ]);
    const { budgets, limits } = await llm.spend('ann');
    expect(budgets[0]?.dollars).toEqual({ limit: '1', spent: '0.000124', held: '0', left: '0.999876' });
    expect(limits[0]).toMatchObject({ name: 'rpm', used: 1, left: 9 });
  });

  it('counts a call as spent, and not as held, that was forgotten and settled as held', async () => {
    const { llm, reserve, clock } = limited({ plan: { perMonth: usd('1') }, maxHold: '1m' });
    const reservation = await reserve({ max_tokens: 100 });
    llm.meter(reservation, {
      model: 'gpt-5.6',
      format: 'openai-chat',
      stream: false,
      input: 1,
      inputCeiling: 9,
      choices: 1,
    });
    const before = (await llm.spend('ann')).budgets[0];
    expect([before?.spent, before?.held]).toEqual([0, reservation.verdicts[0]?.cost]);
    await clock.advance('2m');
    const after = (await llm.spend('ann')).budgets[0];
    expect([after?.spent, after?.held]).toEqual([reservation.verdicts[0]?.cost, 0]);
  });

  it('counts what a dead process held as spent after an hour', async () => {
    const { llm, reserve, clock } = limited({ plan: { perLifetime: usd('1') } });
    const { verdicts } = await reserve({ max_tokens: 100 });
    await clock.advance('70m');
    const { budgets } = await llm.spend('ann');
    expect(budgets).toMatchObject([{ spent: verdicts[0]?.cost, held: 0, resetAt: null, period: 'ever' }]);
  });

  it('is never above what the budget counts, when a call of yesterday is still held', async () => {
    const { llm, reserve, clock } = limited({ plan: { perDay: usd('1') } }, new ManualClock(NOON + 11.99 * 3_600_000));
    await reserve({ max_tokens: 100 });
    await clock.advance('5m');
    expect((await llm.spend('ann')).budgets).toMatchObject([{ spent: 0, held: 0, left: usd('1') }]);
  });

  it('is apart for calls that providerFetch sends and settles, too', async () => {
    const provider = await createFakeProvider({ answer: { input: 10, output: 20 } });
    try {
      const sender = outgoing({ perDay: usd('1') }, new QueueClock(NOON), { prices: PRICES });
      const response = await sender.fetch(...chat(provider.url));
      const [call] = sender.seen;
      const before = await sender.used(call as OutgoingCall);
      expect(before.held).toBe(before.perDay);
      await response.text();
      let after = before;
      while (after.held !== 0) {
        await new Promise(setImmediate);
        after = await sender.used(call as OutgoingCall);
      }
      expect(after.perDay).toBe(210);
    } finally {
      await provider.close();
    }
  });

  it('is read in one step, however many budgets, scopes and models there are', async () => {
    const clock = new ManualClock(NOON);
    const { store, asked } = counting(new MemoryStore({ clock }));
    const scopes = { org: { plan: PLAN, keyGenerator: () => 'acme' }, team: { plan: PLAN, keyGenerator: () => 'red' } };
    const plan = { ...PLAN, models: { best: { perDay: usd('0.5') }, 'gpt-5.6-mini': { tpm: 500 } } };
    const { llm, reserve } = limited({ plan, scopes }, clock, store);
    await reserve({ max_tokens: 10 });
    const before = asked();
    const { budgets, limits } = await llm.spend({ key: 'ann', scopes: { org: 'acme', team: { key: 'red' } } });
    expect(asked() - before).toBe(1);
    expect(budgets.map(({ name, scope, model, held }) => [name, scope, model, held > 0])).toEqual([
      ['perDay', undefined, undefined, true],
      ['perMonth', undefined, undefined, true],
      ['model-perDay', undefined, 'gpt-5.6', true],
      ['org-perDay', 'org', undefined, true],
      ['org-perMonth', 'org', undefined, true],
      ['team-perDay', 'team', undefined, true],
      ['team-perMonth', 'team', undefined, true],
    ]);
    expect(limits.filter(({ model }) => model)).toMatchObject([{ name: 'model-tpm', model: 'gpt-5.6-mini', used: 0 }]);
  });

  it('is that of the scope alone, if only its key is given', async () => {
    const scopes = { org: { plan: { perMonth: usd('5') }, keyGenerator: () => ['acme', 'eu'] } };
    const { llm, reserve } = limited({ plan: { rpm: 5 }, scopes });
    await reserve({ max_tokens: 10 });
    const spend = await llm.spend({ scopes: { org: ['acme', 'eu'] } });
    expect(spend.limits).toEqual([]);
    expect(spend.budgets).toMatchObject([{ name: 'org-perMonth', scope: 'org', spent: 0, held: expect.any(Number) }]);
    expect(spend.budgets[0]?.held).toBeGreaterThan(0);
  });

  it('spends nothing, and is no request', async () => {
    const { llm, limiter, job } = limited({ plan: PLAN });
    const before = await limiter.peek(job());
    await llm.spend('ann');
    expect(await limiter.peek(job())).toEqual(before);
  });

  it('follows a plan that a function chooses', async () => {
    const plan = () => PLAN;
    const { llm } = limited({ plan });
    await expect(llm.spend('ann')).rejects.toEqual(coded('SLUICE_UNSUPPORTED'));
    expect((await llm.spend({ key: 'ann', plan: { perDay: usd('2') } })).budgets).toMatchObject([{ limit: 2_000_000 }]);
    const planOfKey = async (key: unknown) => ({ perDay: usd(key === 'ann' ? '3' : '4') });
    const known = limited({ plan, planOfKey });
    expect((await known.llm.spend('ann')).budgets).toMatchObject([{ limit: 3_000_000 }]);
    expect((await known.llm.spend('bob')).budgets).toMatchObject([{ limit: 4_000_000 }]);
  });

  it('needs a policy, and its name if there are several', async () => {
    const llm = createLlm<[Job]>({ call: ({ body }) => body, plan: PLAN, prices: PRICES });
    await expect(llm.spend('ann')).rejects.toEqual(coded('SLUICE_UNSUPPORTED'));
    const { limits } = llm.policy;
    const store = new MemoryStore();
    const [chat, batch] = ['chat', 'batch'].map((name) =>
      createLimiter<Job>({ name, limits, keyGenerator: ({ user }) => user, store }),
    );
    const reservation = await chat?.reserve({ user: 'ann', body: { model: 'gpt-5.6', messages: [], max_tokens: 9 } });
    await expect(llm.spend('ann')).rejects.toThrow(
      'policy must be the name of a policy with these limits: "chat", "batch"',
    );
    const held = async (policy: string) => (await llm.spend({ key: 'ann', policy })).budgets[0]?.held;
    expect([await held('chat'), await held('batch')]).toEqual([expect.any(Number), 0]);
    expect(batch?.name).toBe('batch');
    // Its slot is renewed until then, by the clock of the system.
    await reservation?.cancel();
  });

  it.each<[what: string, who: unknown, code: string]>([
    ['no key', {}, 'SLUICE_KEY'],
    ['an object for a key', { key: { id: 1 } }, 'SLUICE_KEY'],
    ['another option', { user: 'ann' }, 'SLUICE_OPTION'],
    ['an unknown scope', { scopes: { team: 'red' } }, 'SLUICE_OPTION'],
    ['a wrong plan', { key: 'ann', plan: { perDay: -1 } }, 'SLUICE_OPTION'],
  ])('is refused for %s', async (_what, who, code) => {
    const { llm } = limited({ plan: PLAN });
    await expect(llm.spend(who as never)).rejects.toEqual(coded(code));
  });

  it('is never invented while the store fails', async () => {
    const clock = new ManualClock();
    const failing: Store = Object.assign(Object.create(new MemoryStore({ clock })), {
      consume: () => {
        throw new Error('no connection');
      },
    });
    const { llm } = limited({ plan: PLAN }, clock, failing);
    await expect(llm.spend('ann')).rejects.toEqual(coded('SLUICE_STORE'));
    const open = createLimiter<Job>({
      ...{ name: 'open', limits: llm.policy.limits, keyGenerator: () => 'ann', store: failing },
      onStoreError: 'allow',
    });
    await expect(llm.spend({ key: 'ann', policy: open.name })).rejects.toBeInstanceOf(SluiceError);
  });
});

describe('inspect of a policy with plans', () => {
  it('shows a verdict of each limit that the key has, and of each model', async () => {
    const plan = { rpm: 10, perDay: usd('1'), models: { 'gpt-5.6': { tpm: 900 } } };
    const { limiter, reserve } = limited({ plan });
    await reserve({ max_tokens: 10 });
    const { verdicts } = await limiter.inspect('ann');
    expect(verdicts.map(({ name, used, quotaUnit }) => [name, used > 0, quotaUnit])).toEqual([
      ['rpm', true, undefined],
      ['perDay', true, 'micro-dollars'],
      ['model-tpm:gpt-5.6', true, 'tokens'],
    ]);
    expect((await limiter.inspect('bob')).verdicts.every(({ used }) => used === 0)).toBe(true);
  });

  it('shows limits that the application adds, too, and a block', async () => {
    const { llm, store } = limited({ plan: { rpm: 10 } });
    const own = { name: 'site', limit: 5, window: '1m' as const };
    const limiter = createLimiter<Job>({
      ...{ name: 'both', limits: [own, ...llm.policy.limits], keyGenerator: ({ user }) => user, store },
    });
    await limiter.block('ann', '1m');
    const { verdicts, block } = await limiter.inspect('ann');
    expect(verdicts.map(({ name, blocked }) => [name, blocked])).toEqual([
      ['site', true],
      ['rpm', true],
    ]);
    expect(block).toMatchObject({ by: 'admin' });
  });

  it('needs planOfKey if a function chooses the plan', async () => {
    const plan = () => PLAN;
    const { limiter } = limited({ plan });
    await expect(async () => limiter.inspect('ann')).rejects.toEqual(coded('SLUICE_UNSUPPORTED'));
    const known = limited({ plan, planOfKey: () => ({ rpm: 3 }) });
    expect((await known.limiter.inspect('ann')).verdicts).toMatchObject([{ name: 'rpm', remaining: 3 }]);
  });
});

describe('Dollars as text', () => {
  it.each([
    [0, '0'],
    [1, '0.000001'],
    [500_000, '0.50'],
    [1_250_000, '1.25'],
    [12_000_000, '12'],
    [1_234_567_890_123_456, '1234567890.123456'],
  ])('%d micro-dollars are %s', (microDollars, text) => {
    expect(dollarText(microDollars)).toBe(text);
  });

  it('lose no micro-dollar', () => {
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (microDollars) => {
        expect(usd(dollarText(microDollars))).toBe(microDollars);
      }),
    );
  });
});
