import { afterEach, describe, expect, it } from '@jest/globals';
import { compilePolicy, type PolicyFile, readPolicyFile, tierOf } from '@sluice/config';
import { createLimiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { createLlm, type LlmPlan, priceTable, type Usage, usd, watchBudgets } from '@sluice/llm';
import { openTelemetryMetrics, prometheusMetrics } from '../src/index.js';
import { MOST_MODELS, MOST_TIERS } from '../src/money/call-measures.js';
import { LIBRARIES } from './clients.js';
import { parseText } from './parse-text.js';

const [, LIBRARY] = LIBRARIES[0] as (typeof LIBRARIES)[number];
const NOON = Date.parse('2026-11-29T12:00:00Z');
const USAGE: Usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 1000, reasoning: 0, complete: true };

interface Job {
  readonly user: string;
  readonly plan: LlmPlan;
  readonly model: string;
}

const ending: (() => void)[] = [];
afterEach(() => {
  for (const end of ending.splice(0)) end();
});

let last = 0;

/** A gateway whose calls are counted from now on: a token of an answer costs ten micro-dollars, and one of a prompt nothing. */
function counted(options: object = {}) {
  last += 1;
  const name = `money ${last}`;
  const clock = new ManualClock(NOON);
  const registry = new LIBRARY.Registry();
  ending.push(prometheusMetrics({ registry, clock, ...options }));
  const llm = createLlm<[Job]>({
    call: ({ model }) => ({ model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 2000 }),
    plan: ({ plan }) => plan,
    prices: priceTable({ big: { input: '0', output: '10' } }, { unknown: { input: '0', output: '10' } }),
    clock,
  });
  const limiter = createLimiter<Job>({
    ...{ name, limits: llm.policy.limits, keyGenerator: ({ user }) => user, store: new MemoryStore({ clock }) },
  });
  const call = async (job: Partial<Job> = {}, usage: Partial<Usage> | 'broken' = {}): Promise<void> => {
    const whole = { user: 'ann', plan: { name: 'pro', perDay: usd('1') }, model: 'big', ...job };
    const reservation = await limiter.reserve(whole);
    await llm.policy.extraHeaders(whole, reservation);
    const admitted = llm.callOf(whole);
    if (!admitted) return;
    const meter = llm.meter(reservation, admitted.call);
    await (usage === 'broken' ? meter.end('broken') : meter.settle({ ...USAGE, ...usage }));
  };
  const series = async () => {
    const all = parseText(await registry.metrics());
    return new Map([...all].filter(([key]) => key.includes(`policy="${name}"`)));
  };
  return { call, series, clock, name };
}

describe('What calls cost', () => {
  it('is a histogram in dollars by model and tier, and sums up exactly', async () => {
    const { call, series, name } = counted();
    await call();
    await call({}, { output: 90 });
    await call({ plan: { name: 'free', perDay: usd('1') }, model: 'small' }, { output: 5000 });
    const found = await series();
    const of = (part: string, more = '', tier = 'pro', model = 'big') =>
      found.get(`sluice_call_cost_dollars_${part}{${more}model="${model}",policy="${name}",tier="${tier}"}`);
    expect([of('count'), of('sum')]).toEqual([2, 0.0109]);
    const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, '+Inf'];
    expect(buckets.map((le) => of('bucket', `le="${le}",`))).toEqual([1, 1, 2, 2, 2, 2, 2, 2, 2]);
    expect([of('count', '', 'free', 'small'), of('sum', '', 'free', 'small')]).toEqual([1, 0.05]);
  });

  it('comes with the tokens, and with the estimate over what it was', async () => {
    const { call, series, name } = counted();
    await call({}, { input: 4, cacheRead: 6 });
    const found = await series();
    const sum = (metric: string, kind: string) =>
      found.get(`sluice_${metric}_sum{kind="${kind}",model="big",policy="${name}",tier="pro"}`);
    expect([sum('call_tokens', 'input'), sum('call_tokens', 'output')]).toEqual([10, 1000]);
    expect(sum('call_estimate_ratio', 'prompt')).toBeGreaterThan(0.5);
    // It held 2,000 tokens of the answer, and 1,000 came.
    expect(sum('call_estimate_ratio', 'money')).toBeCloseTo(2);
  });

  it('has no tier for a plan without a name', async () => {
    const { call, series, name } = counted();
    await call({ plan: { perDay: usd('1') } });
    expect((await series()).get(`sluice_call_cost_dollars_count{model="big",policy="${name}"}`)).toBe(1);
  });

  it('tells 100 models and 20 tiers apart, whatever names callers make up', async () => {
    const { call, series, name } = counted();
    for (let i = 0; i < MOST_MODELS + 30; i += 1) {
      await call({ model: `model ${i}`, user: `user ${i}`, plan: { name: `tier ${i % 40}`, rpm: 1e6 } });
    }
    // A model that no provider has answered for takes no place.
    const fresh = counted();
    for (let i = 0; i < 200; i += 1) await fresh.call({ model: `made up ${i}`, user: `user ${i}` }, 'broken');
    await fresh.call();
    const labels = (found: ReadonlyMap<string, number>, label: string) =>
      new Set([...found.keys()].flatMap((key) => new RegExp(`_count{.*${label}="([^"]*)"`).exec(key)?.[1] ?? []));
    const found = await series();
    expect([labels(found, 'model').size, labels(found, 'tier').size]).toEqual([MOST_MODELS + 1, MOST_TIERS + 1]);
    expect([...labels(found, 'model')]).toContain('other');
    const total = [...found].filter(([key]) => key.startsWith('sluice_call_cost_dollars_count'));
    expect(total.reduce((all, [, count]) => all + count, 0)).toBe(MOST_MODELS + 30);
    expect([...labels(await fresh.series(), 'model')].sort()).toEqual(['big', 'other']);
    expect(name).not.toBe(fresh.name);
  });

  it('names no user', async () => {
    const { call, series } = counted({ budgets: watchBudgets });
    await call({ user: 'somebody', plan: { name: 'pro', perDay: 20_000 } });
    expect([...(await series()).keys()].filter((key) => key.includes('somebody'))).toEqual([]);
  });

  it('is not added up any more after the end', async () => {
    const { call, series } = counted();
    await call();
    for (const end of ending.splice(0)) end();
    await call();
    expect([...(await series()).keys()].filter((key) => key.startsWith('sluice_call'))).toEqual([]);
  });
});

describe('The keys of budgets', () => {
  it('are counted at 50, 80 and 100 %, until their window ends', async () => {
    const { call, series, clock, name } = counted({
      budgets: watchBudgets,
    });
    const plan = { name: 'pro', perDay: 100_000 };
    // Each call uses a fifth of the budget.
    for (const user of ['ann', 'ann', 'ann', 'bob', 'bob', 'bob', 'bob', 'bob', 'cy']) {
      await call({ user, plan }, { output: 2000 });
    }
    const keys = async () => {
      const found = await series();
      return ['0.5', '0.8', '1'].map((threshold) =>
        found.get(`sluice_budget_keys{limit="perDay",policy="${name}",threshold="${threshold}"}`),
      );
    };
    expect(await keys()).toEqual([2, 1, 1]);
    await clock.advance('13h');
    expect(await keys()).toEqual([0, 0, 0]);
    for (let i = 0; i < 3; i += 1) await call({ user: 'cy', plan }, { output: 2000 });
    const found = await series();
    // The counter goes on.
    expect(found.get(`sluice_budget_thresholds_total{limit="perDay",policy="${name}",threshold="0.5"}`)).toBe(3);
    expect(await keys()).toEqual([1, 0, 0]);
  });

  it('are not counted unless they are asked for, because that looks at each decision', async () => {
    const { call, series } = counted();
    await call({ plan: { perDay: 20_000 } });
    expect([...(await series()).keys()].filter((key) => key.startsWith('sluice_budget_keys'))).toEqual([]);
  });
});

describe('Decisions by tier', () => {
  it('follow the tiers of a policy file', async () => {
    const registry = new LIBRARY.Registry();
    ending.push(prometheusMetrics({ registry, tierOf }));
    const { file } = readPolicyFile(`version: 1
keys: { customer: code }
tiers: { free: { minute: { limit: 1, window: 1m } }, pro: { minute: { limit: 9, window: 1m } } }
policies: { tiered: { key: customer, tier: { from: code, default: free }, limits: [{ name: minute, tier: true }] } }
`);
    const store = new MemoryStore();
    const policy = compilePolicy<{ id: string }>(file as PolicyFile, 'tiered', {
      store,
      keys: { customer: ({ id }) => id },
      tiers: { tiered: ({ id }) => (id === 'acme' ? 'pro' : undefined) },
    });
    const limiter = createLimiter<{ id: string }>({ ...policy, store } as never);
    for (const id of ['acme', 'acme', 'bob', 'bob', 'bob']) await limiter.consume({ id });
    const found = parseText(await registry.metrics());
    const count = (tier: string, outcome: string) =>
      found.get(`sluice_tier_decisions_total{outcome="${outcome}",policy="tiered",tier="${tier}"}`);
    expect([count('pro', 'allowed'), count('pro', 'refused')]).toEqual([2, 0]);
    expect([count('free', 'allowed'), count('free', 'refused'), count('free', 'shadowed')]).toEqual([1, 2, 0]);
  });
});

describe('OpenTelemetry', () => {
  it('records the same values of each call', async () => {
    const recorded: [string, number, object][] = [];
    const meter = {
      ...{ createObservableCounter: () => ({}), createObservableGauge: () => ({}) },
      ...{
        createObservableUpDownCounter: () => ({}),
        addBatchObservableCallback() {},
        removeBatchObservableCallback() {},
      },
      createHistogram: (name: string) => ({
        record: (value: number, attributes: object) => recorded.push([name, value, attributes]),
      }),
    };
    ending.push(openTelemetryMetrics({ meter }));
    const { call, name } = counted();
    await call();
    const attributes = { 'sluice.policy': name, 'sluice.model': 'big', 'sluice.tier': 'pro' };
    expect(recorded).toEqual(
      expect.arrayContaining([
        ['sluice.call.cost', 0.01, attributes],
        ['sluice.call.tokens', 1000, { ...attributes, 'sluice.kind': 'output' }],
      ]),
    );
  });
});

describe('The options', () => {
  it.each(['budgets', 'tierOf'])('refuse a %s that is no function', (option) => {
    const registry = new LIBRARY.Registry();
    expect(() => prometheusMetrics({ registry, [option]: true })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: option }),
    );
  });
});
