import { afterEach, describe, expect, it } from '@jest/globals';
import { slidingWindow } from '@sluice/core';
import { until } from '@sluice/test-kit/until';
import { priceTable, usd } from '../../src/index.js';
import { type Gateway, gateway } from './gateway.js';

const CALL = { model: 'gpt-5.6', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 };

let served: Gateway;
afterEach(() => served.close());

const fieldsOf = ({ headers }: { headers: Headers }, prefix: string) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith(prefix)));

describe('The header fields of a call', () => {
  it('are those of OpenAI for its dialects: what is held, and the time until the limits are fresh', async () => {
    served = await gateway({ plan: { rpm: 10, tpm: 1000, rpd: 5, perDay: usd('1') } });
    const { headers } = await served.post(CALL);
    const remaining = Number(headers.get('x-ratelimit-remaining-tokens'));
    expect(fieldsOf({ headers }, 'x-ratelimit-')).toEqual({
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': expect.any(String),
      'x-ratelimit-reset': expect.any(String),
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '9',
      'x-ratelimit-reset-requests': '1m0s',
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': `${remaining}`,
      'x-ratelimit-reset-tokens': expect.stringMatching(/^1m[\d.]+s$/),
    });
    expect(remaining).toBeLessThan(990);
  });

  it('state the tightest of the limits of a minute, those of models and scopes included', async () => {
    served = await gateway({
      plan: { rpm: 10, models: { 'gpt-5.6': { rpm: 3 } } },
      scopes: { org: { plan: { rpm: 5 }, keyGenerator: () => 'acme' } },
    });
    expect((await served.post(CALL)).headers.get('x-ratelimit-limit-requests')).toBe('3');
    expect((await served.post({ ...CALL, model: 'free' })).headers.get('x-ratelimit-limit-requests')).toBe('5');
  });

  it('are those of Anthropic with times of RFC 3339', async () => {
    served = await gateway({ plan: { rpm: 10, itpm: 500, otpm: 300 }, headers: 'anthropic' });
    expect(fieldsOf(await served.post(CALL), 'anthropic-')).toEqual({
      'anthropic-ratelimit-requests-limit': '10',
      'anthropic-ratelimit-requests-remaining': '9',
      'anthropic-ratelimit-requests-reset': '2026-01-01T00:01:00Z',
      'anthropic-ratelimit-input-tokens-limit': '500',
      'anthropic-ratelimit-input-tokens-remaining': expect.stringMatching(/^49\d$/),
      'anthropic-ratelimit-input-tokens-reset': expect.stringMatching(/^2026-01-01T00:01:0\dZ$/),
      'anthropic-ratelimit-output-tokens-limit': '300',
      'anthropic-ratelimit-output-tokens-remaining': '290',
      'anthropic-ratelimit-output-tokens-reset': expect.stringMatching(/^2026-01-01T00:01:0\dZ$/),
    });
  });

  it('are left out if the application does not want them, and for unlimited plans', async () => {
    served = await gateway({ plan: (req) => (req.get('x-user') ? {} : { tpm: 1000 }), headers: false });
    expect(fieldsOf(await served.post(CALL), 'x-ratelimit-')).toEqual({});
    await served.close();
    served = await gateway({ plan: {} });
    expect(fieldsOf(await served.post(CALL), 'x-ratelimit-')).toEqual({});
  });
});

describe('The refusal of a call', () => {
  const REFUSALS = {
    rate: { plan: { rpm: 1 }, body: CALL },
    size: { plan: { tpm: 5 }, body: CALL },
    budget: { plan: { perDay: 200 }, body: CALL },
  } as const;

  /** Returns the second answer, which is the refusal. */
  async function refusalOf(kind: keyof typeof REFUSALS, options: Parameters<typeof gateway>[0] = {}) {
    const { plan, body } = REFUSALS[kind];
    served = await gateway({ plan, ...options });
    await served.post(body);
    served.clock.advance(500);
    return served.post(body);
  }

  it('of a minute says when to come again, to the millisecond', async () => {
    const { status, headers, body } = await refusalOf('rate', { errors: 'problem' });
    expect(status).toBe(429);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(fieldsOf({ headers }, 'retry-after')).toEqual({ 'retry-after': '60', 'retry-after-ms': '59500' });
    const message =
      'Rate limit reached for requests per minute (RPM): limit 1, used 1, requested 1. Try again in 60 s.';
    expect(body).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Quota Exceeded',
      status: 429,
      detail: message,
      'violated-policies': ['rpm'],
      error: { message, type: 'requests', param: null, code: 'rate_limit_exceeded' },
      limits: [{ name: 'rpm', unit: 'requests', limit: 1, used: 1, resetAt: '2026-01-01T00:01:00.000Z' }],
    });
  });

  it('of a budget hides its numbers, says in full how long it lasts, and that SDKs must not come again', async () => {
    const { status, headers, body } = await refusalOf('budget');
    expect([status, body.error.type, body.error.code, body.limits]).toEqual([
      429,
      'insufficient_quota',
      'insufficient_quota',
      [],
    ]);
    expect(body.error.message).toBe('Quota reached for the budget of the day.');
    expect(fieldsOf({ headers }, 'retry-after')).toEqual({ 'retry-after': '86400' });
    expect(headers.get('x-should-retry')).toBe('false');
  });

  it('of a budget has the status that the application chose', async () => {
    expect((await refusalOf('budget', { budgetStatus: 402 })).status).toBe(402);
    await served.close();
    expect((await refusalOf('rate', { budgetStatus: 402 })).status).toBe(429);
  });

  it('of a budget says when to come again within its last minute', async () => {
    served = await gateway({ plan: { rpd: 1 } });
    served.clock.set(Date.parse('2026-01-01T23:59:30Z'));
    await served.post(CALL);
    const { headers } = await served.post(CALL);
    expect(fieldsOf({ headers }, 'retry-after')).toEqual({ 'retry-after': '30', 'retry-after-ms': '30000' });
    expect(headers.get('x-should-retry')).toBeNull();
  });

  it('of a budget for ever says that it never ends', async () => {
    served = await gateway({ plan: { perLifetime: 200 }, showBudget: true, budgetStatus: 402 });
    await served.post(CALL);
    const { status, headers, body } = await served.post(CALL);
    expect([status, body.limits[0].resetAt, body.error.code]).toEqual([402, null, 'insufficient_quota']);
    expect(body.error.message).toMatch(/^Quota reached for the whole budget: limit \$0\.0002, used /);
    expect([headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([null, 'false']);
  });

  it('of a limit with a long window says in full how long to wait, and that SDKs must not come again', async () => {
    served = await gateway({ plan: { rpm: slidingWindow({ limit: 1, window: '1h' }) } });
    await served.post(CALL);
    const { headers } = await served.post(CALL);
    expect(fieldsOf({ headers }, 'retry-after')).toEqual({ 'retry-after': '3600' });
    expect(headers.get('x-should-retry')).toBe('false');
  });

  it.each([
    [true, 'This call needs up to $0.0001, and the budget of the day is $0.000005.'],
    [false, 'This call needs more than the budget of the day ever has.'],
  ])(
    'of a call that is dearer than a budget says so, whether that is used up or not: numbers shown %p',
    async (showBudget, detail) => {
      served = await gateway({ plan: { perDay: 5, rpd: 9 }, showBudget, budgetStatus: 402 });
      const { status, headers, body } = await served.post(CALL);
      expect([status, body.error.code, headers.get('x-should-retry')]).toEqual([402, 'insufficient_quota', 'false']);
      expect(body.error.message.replace(/up to \$[\d.]+/, 'up to $0.0001')).toBe(detail);
    },
  );

  it('of a call that is larger than a limit says that waiting does not help', async () => {
    const { headers, body } = await refusalOf('size');
    expect(body.error).toMatchObject({ type: 'tokens', code: 'rate_limit_exceeded' });
    expect(body.error.message).toMatch(
      /^Request too large for tokens per minute \(TPM\): limit 5, used 0, requested \d+\.$/,
    );
    expect(fieldsOf({ headers }, 'retry-after')).toEqual({});
    expect(headers.get('x-should-retry')).toBe('false');
  });

  it('of all slots says to come again after a second', async () => {
    served = await gateway({ plan: { parallel: 1 } });
    const first = served.post(CALL, undefined, { 'x-waits': 'yes' });
    await until(() => served.arrived() === 1);
    const { headers, body } = await served.post(CALL);
    expect(fieldsOf({ headers }, 'retry-after')).toEqual({ 'retry-after': '1', 'retry-after-ms': '1000' });
    expect([body.error.type, body.limits[0].unit]).toEqual(['requests', 'concurrent-requests']);
    served.release();
    expect((await first).status).toBe(200);
  });

  it('of a budget that calls under way hold is no end of the budget, and says when they may end', async () => {
    served = await gateway({ plan: { perDay: 200 }, budgetStatus: 402, maxHold: '2m' });
    const first = served.post(CALL, undefined, { 'x-waits': 'yes' });
    await until(() => served.arrived() === 1);
    const { status, headers, body } = await served.post(CALL);
    expect([status, body.error.code, headers.get('x-should-retry')]).toEqual([429, 'rate_limit_exceeded', null]);
    expect(fieldsOf({ headers }, 'retry-after')).toEqual({ 'retry-after-ms': '1000' });
    expect(body.error.message).toBe(
      'Calls that are under way hold what is left of the budget of the day. Try again when one of them has ended: within 120 s, if they make no progress.',
    );
    served.release();
    await first;
    // It was charged as held, so now the budget is used up.
    expect((await served.post(CALL)).status).toBe(402);
  });

  it('names the model and the scope whose limit refused', async () => {
    served = await gateway({
      plan: {},
      scopes: { org: { plan: { models: { 'gpt-5.6': { rpm: 0 } } }, keyGenerator: () => 'acme' } },
    });
    const { body } = await served.post(CALL);
    expect(body.error.message).toMatch(
      /^Request too large for requests per minute \(RPM\) of gpt-5\.6 of org: limit 0/,
    );
  });

  it('has the form of OpenAI or Anthropic if the application says so', async () => {
    const { headers, body } = await refusalOf('rate', { errors: 'openai' });
    expect(headers.get('content-type')).toMatch('application/json');
    expect(Object.keys(body)).toEqual(['error', 'limits']);
    expect(body.error).toMatchObject({ type: 'requests', code: 'rate_limit_exceeded', param: null });
    await served.close();
    const other = await refusalOf('budget', { errors: 'anthropic' });
    const message = 'Quota reached for the budget of the day.';
    expect(other.body).toEqual({ type: 'error', error: { type: 'rate_limit_error', message }, limits: [] });
  });

  it('states limits that the application has added, too', async () => {
    served = await gateway({ plan: {} }, (llm) => ({
      limits: [...llm.policy.limits, { name: 'site', limit: slidingWindow({ limit: 0, window: '1h' }) }],
    }));
    const { body } = await served.post(CALL);
    expect(body.limits).toMatchObject([{ name: 'site', unit: 'requests', limit: 0, used: 0 }]);
    expect(body.error).toMatchObject({ type: 'requests', code: 'rate_limit_exceeded' });
  });

  it.each(['problem', 'openai', 'anthropic'] as const)(
    'of a failed store is told as an overload: %s',
    async (errors) => {
      served = await gateway({ plan: { rpm: 1 }, errors }, () => ({ onStoreError: 'deny' }));
      served.store.consume = () => {
        throw new Error('the connection is lost');
      };
      const { status, headers, body } = await served.post(CALL);
      expect([status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([503, '1', null]);
      expect(JSON.stringify(body)).toMatch(/service_unavailable|overloaded_error/);
    },
  );

  it.each([
    ['1h', 429, '3600'],
    ['forever', 403, null],
  ] as const)('of a key that is blocked for %s says so', async (length, expected, retryAfter) => {
    served = await gateway({ plan: { rpm: 5 } });
    await served.policy.block('ann', length);
    const { status, headers, body } = await served.post(CALL);
    expect([status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([
      expected,
      retryAfter,
      'false',
    ]);
    expect([body.error.message, body.error.code]).toEqual(['Access is blocked.', 'access_blocked']);
  });
});

describe('A body that is no call', () => {
  it.each([
    ['problem', { field: 'max_tokens', error: { type: 'invalid_request_error', param: 'max_tokens', code: null } }],
    ['openai', { error: { type: 'invalid_request_error', param: 'max_tokens', code: null } }],
    ['anthropic', { type: 'error', error: { type: 'invalid_request_error' } }],
  ] as const)('is 400 in the form %s, and nothing is spent', async (errors, expected) => {
    served = await gateway({ plan: { rpm: 1 }, errors });
    const { status, body } = await served.post({ ...CALL, max_tokens: -1 });
    expect([status, body]).toMatchObject([400, expected]);
    expect((await served.post(CALL)).status).toBe(200);
  });

  it('is 400 on the path of other work, although the body looks like a call', async () => {
    served = await gateway({ plan: { rpm: 1 } });
    const answer = await fetch(`${served.url}/v1/images/variations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-5.6', prompt: 'a harbour', n: 1 }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: 'url' } }]);
    expect((await served.post(CALL)).status).toBe(200);
  });

  it('names a model that has no price', async () => {
    served = await gateway({ plan: {} });
    const { status, body } = await served.post({ ...CALL, model: 'gpt-9' });
    expect([status, body.error.param, body.error.code]).toEqual([400, 'model', 'model_not_found']);
    expect(body.error.message).toContain('gpt-9');
  });
});

describe('degrade', () => {
  it('serves a cheaper model instead of refusing, tells it, and spends nothing for the others', async () => {
    served = await gateway({ plan: { rpm: 10, perDay: 150 } }, (llm) =>
      llm.degrade(['gpt-5.6', 'gpt-5.6-mini', 'free']),
    );
    const models = [];
    for (let i = 0; i < 8; i += 1) {
      const { status, headers } = await served.post(CALL);
      models.push([status, headers.get('x-sluice-model')]);
    }
    expect(models.slice(0, 2)).toEqual([
      [200, null],
      [200, 'gpt-5.6-mini'],
    ]);
    expect(models.at(-1)).toEqual([200, 'free']);
    expect(served.models[1]).toBe('gpt-5.6-mini');
  });

  it('refuses a paid fallback of a free model if the budget is used up', async () => {
    served = await gateway({ plan: { perDay: 110, models: { free: { rpm: 1 } } }, budgetStatus: 402 }, (llm) =>
      llm.degrade(['gpt-5.6']),
    );
    expect((await served.post(CALL)).status).toBe(200);
    const statuses = [];
    for (let i = 0; i < 2; i += 1) statuses.push((await served.post({ ...CALL, model: 'free' })).status);
    expect(statuses).toEqual([200, 402]);
  });

  it('holds all that another model reads, whatever the first one reads at most', async () => {
    const prices = priceTable({ small: { input: '1', output: '1', maxInput: 10 }, large: { input: '1', output: '1' } });
    const plan = { perDay: 1e9, models: { small: { rpm: 0 } } };
    served = await gateway({ plan, prices, hold: 'ceiling' }, (llm) => llm.degrade(['large']));
    const messages = [{ role: 'user', content: 'x'.repeat(500) }];
    const { headers } = await served.post({ model: 'small', messages, max_tokens: 1 });
    expect(headers.get('x-sluice-model')).toBe('large');
    // The call was charged as held.
    expect((await served.llm.spend('ann')).budgets[0]?.spent).toBeGreaterThan(500);
  });

  it('refuses at once if no model can help', async () => {
    let asked = 0;
    served = await gateway({ plan: { rpm: 1 } }, (llm) => {
      const { reconsider } = llm.degrade(['free']);
      return {
        reconsider: (...params) => {
          asked += 1;
          return reconsider(...params);
        },
      };
    });
    await served.post(CALL);
    const { status, headers } = await served.post(CALL);
    expect([status, headers.get('x-sluice-model'), asked]).toEqual([429, null, 1]);
  });
});
