import { describe, expect, it } from '@jest/globals';
import { type LlmPlan, usd } from '../../src/index.js';
import { gateway } from './gateway.js';

/** What people sell, and what the limits are called. */
const PLANS: Readonly<Record<string, LlmPlan>> = {
  free: { rpm: 10, tpm: 10_000, rpd: 100, perDay: usd('1') },
  basic: { rpm: 50, tpm: 50_000, rpd: 1_000, perDay: usd('10') },
  premium: { rpm: 200, tpm: 200_000, rpd: 10_000, perDay: usd('100') },
  enterprise: { rpm: 1_000, tpm: 1_000_000, rpd: 100_000, perDay: usd('1000') },
};

const UNITS = { rpm: 'requests', tpm: 'tokens', rpd: 'requests', perDay: 'micro-dollars' } as const;
const NAMES = Object.keys(UNITS) as (keyof typeof UNITS)[];
const CODES = { rpm: 'rate_limit_exceeded', tpm: 'rate_limit_exceeded', rpd: 'insufficient_quota' } as const;
const CASES = Object.keys(PLANS).flatMap((plan) => NAMES.map((name) => [plan, name] as const));

/** A call that holds 7 tokens or so for its prompt, and 10 for its answer. */
const CALL = { model: 'gpt-5.6', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 };
const MIDNIGHT = '2026-01-02T00:00:00.000Z';

describe.each(CASES)('The plan %s with its limit %s', (plan, name) => {
  it('admits the last call that fits, and refuses the next one with the reason, the limit and what is used', async () => {
    const served = await gateway({ plan: (req) => PLANS[req.get('x-plan') ?? ''] ?? {}, showBudget: true });
    try {
      const asked = { 'x-plan': plan };
      const costs = new Map<string, number>();
      const probe = await served.post(CALL, {}, { ...asked, 'x-user': 'probe' });
      expect(probe.status).toBe(200);
      const held = { rpm: 1, rpd: 1, tpm: 10_000, perDay: 0 };
      const state = await served.llm.policy.limits;
      expect(state.length).toBeGreaterThanOrEqual(NAMES.length);
      costs.set('tpm', PLANS.free?.tpm === undefined ? 0 : held.tpm);

      const quota = PLANS[plan]?.[name] as number;
      const cost =
        Number(probe.headers.get('x-ratelimit-limit-tokens')) -
        Number(probe.headers.get('x-ratelimit-remaining-tokens'));
      const money = cost - 10 + 100;
      const last = { rpm: 1, rpd: 1, tpm: cost, perDay: money }[name];
      const nothing = { rpm: 0, rpd: 0, tpm: 0, perDay: 0 };
      expect((await served.post(CALL, { ...nothing, [name]: quota - last }, asked)).status).toBe(200);
      expect((await served.post(CALL, { ...nothing, [name]: last }, asked)).status).toBe(200);

      const refused = await served.post(CALL, undefined, asked);
      const isBudget = name === 'rpd' || name === 'perDay';
      expect(refused.status).toBe(429);
      const minuteMs = served.clock.now() + 60_000;
      const [limit] = refused.body.limits;
      expect(refused.body.limits).toHaveLength(1);
      expect(limit).toMatchObject({ name, unit: UNITS[name], limit: quota, used: quota });
      if (isBudget) expect(limit.resetAt).toBe(MIDNIGHT);
      else expect(Math.abs(Date.parse(limit.resetAt) - minuteMs)).toBeLessThanOrEqual(3_000);
      expect(refused.body['violated-policies']).toEqual([name]);
      expect(refused.body.error.code).toBe(name === 'perDay' ? 'insufficient_quota' : CODES[name]);
      expect(refused.body.error.message).toMatch(isBudget ? /^Quota reached for / : /^Rate limit reached for /);
      const numbers =
        name === 'perDay' ? `limit $${quota / 1e6}, used $${quota / 1e6}` : `limit ${quota}, used ${quota}`;
      expect(refused.body.error.message).toContain(numbers);
      expect(refused.headers.get('x-should-retry')).toBe(isBudget ? 'false' : null);
      expect(refused.headers.get('retry-after') === null).toBe(isBudget);
      expect((await served.post(CALL, undefined, { ...asked, 'x-user': 'bob' })).status).toBe(200);
    } finally {
      await served.close();
    }
  });
});
