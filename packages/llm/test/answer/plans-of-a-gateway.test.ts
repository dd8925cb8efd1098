import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LlmPlan, usd } from '../../src/index.js';
import { type Gateway, gateway } from './gateway.js';

/** What people sell. */
const PLANS: Readonly<Record<string, LlmPlan>> = {
  free: { rpm: 10, tpm: 10_000, rpd: 100, perDay: usd('1') },
  basic: { rpm: 50, tpm: 50_000, rpd: 1_000, perDay: usd('10') },
  premium: { rpm: 200, tpm: 200_000, rpd: 10_000, perDay: usd('100') },
  enterprise: { rpm: 1_000, tpm: 1_000_000, rpd: 100_000, perDay: usd('1000') },
};

const UNITS = { rpm: 'requests', tpm: 'tokens', rpd: 'requests', perDay: 'micro-dollars' } as const;
const NAMES = Object.keys(UNITS) as (keyof typeof UNITS)[];
const CASES = Object.keys(PLANS).flatMap((plan) => NAMES.map((name) => [plan, name] as const));

const CALL = { model: 'gpt-5.6', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 };
const NOTHING = { rpm: 0, rpd: 0, tpm: 0, perDay: 0 };
const MIDNIGHT = '2026-01-02T00:00:00.000Z';

let served: Gateway;

beforeAll(async () => {
  served = await gateway({ plan: (req) => PLANS[req.get('x-plan') ?? ''] ?? {}, showBudget: true });
});
afterAll(() => served.close());

describe.each(CASES)('The plan %s with its limit %s', (plan, name) => {
  const user = { 'x-plan': plan, 'x-user': `${plan} ${name}` };
  const isBudget = name === 'rpd' || name === 'perDay';
  const quota = PLANS[plan]?.[name] as number;

  /** Uses the limit up to its last call. */
  async function useUp(): Promise<void> {
    const { headers } = await served.post(CALL, NOTHING, user);
    const numberOf = (field: string) => Number(headers.get(`x-ratelimit-${field}-tokens`));
    const tokens = numberOf('limit') - numberOf('remaining');
    // A token of the prompt costs one micro-dollar, and one of the answer ten.
    const last = { rpm: 1, rpd: 1, tpm: tokens, perDay: tokens + 90 }[name];
    expect((await served.post(CALL, { ...NOTHING, [name]: quota - last }, user)).status).toBe(200);
    expect((await served.post(CALL, { ...NOTHING, [name]: last }, user)).status).toBe(200);
  }

  it('admits the last call that fits, and refuses the next one with the reason, the limit and what is used', async () => {
    await useUp();
    const { status, headers, body } = await served.post(CALL, undefined, user);
    expect(status).toBe(429);
    expect(body.limits).toEqual([{ name, unit: UNITS[name], limit: quota, used: quota, resetAt: expect.any(String) }]);
    const [{ resetAt }] = body.limits;
    if (isBudget) expect(resetAt).toBe(MIDNIGHT);
    else expect(Date.parse(resetAt) - served.clock.now()).toBeLessThanOrEqual(63_000);
    const text = name === 'perDay' ? `limit $${quota / 1e6}, used $${quota / 1e6}` : `limit ${quota}, used ${quota}`;
    expect(body.error.message).toContain(text);
    expect(body.error.message).toMatch(isBudget ? /^Quota reached for / : /^Rate limit reached for /);
    expect(body.error.code).toBe(isBudget ? 'insufficient_quota' : 'rate_limit_exceeded');
    const waitMs = headers.get('retry-after-ms');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('x-should-retry')).toBe(waitMs === null ? 'false' : null);
    if (isBudget) expect(waitMs).toBeNull();
    else if (waitMs !== null) expect(Number(waitMs)).toBeLessThan(60_000);
  });
});
