import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { usd } from '@sluice/llm';
import { createFakeProvider, type FakeAnswers, type FakeProvider } from '@sluice/llm/testing';
import { createGateway } from '../src/gateway.js';
import { PLANS, type PlanName } from '../src/plans.js';

const running: { readonly provider: FakeProvider; readonly server: Server }[] = [];

afterEach(async () => {
  for (const { provider, server } of running.splice(0)) {
    server.closeAllConnections();
    server.close();
    await provider.close();
  }
});

/** The gateway on a clock that stands still, and calls of it. */
async function drive(answer: FakeAnswers = { input: 100, output: 20 }) {
  const clock = new ManualClock(Date.UTC(2026, 0, 15));
  const provider = await createFakeProvider({ answer, clock });
  const gateway = createGateway({ store: new MemoryStore({ clock }), upstream: provider.url });
  const server = await new Promise<Server>((resolve) => {
    const listening = gateway.listen(0, '127.0.0.1', () => resolve(listening));
  });
  running.push({ provider, server });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const chat = async (plan: PlanName, body: Record<string, unknown> = {}) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${plan}-key`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hello' }], ...body }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Refusal };
  };
  return { clock, provider, url, chat };
}

/** What a refusal says. */
interface Refusal {
  readonly error: {
    readonly param: string | null;
    readonly code: string;
    readonly type: string;
    readonly message: string;
  };
  readonly limits: readonly Record<'name' | 'unit' | 'limit' | 'used' | 'resetAt', unknown>[];
}

const PLAN_NAMES = Object.keys(PLANS) as PlanName[];

/** The table that the plans promise. */
const PROMISED: Readonly<Record<PlanName, readonly [rpm: number, tpm: number, rpd: number, perDay: number]>> = {
  free: [10, 10_000, 100, usd('1')],
  basic: [50, 50_000, 1000, usd('10')],
  premium: [200, 200_000, 10_000, usd('100')],
  enterprise: [1000, 1_000_000, 100_000, usd('1000')],
};

describe('the gateway', () => {
  it.each(PLAN_NAMES)('S13: gives the plan %s its requests and tokens a minute', async (plan) => {
    const { chat } = await drive();
    const { status, headers } = await chat(plan);
    const [rpm, tpm, rpd] = PROMISED[plan];
    expect(status).toBe(200);
    expect(headers.get('ratelimit-policy')).toContain(`"rpm";q=${rpm};w=60,"rpd";q=${rpd};w=86400`);
    expect(headers.get('x-ratelimit-limit-requests')).toBe(String(rpm));
    expect(headers.get('x-ratelimit-limit-tokens')).toBe(String(tpm));
  });

  it.each(PLAN_NAMES)('S13: refuses a call of the plan %s that is larger than its tokens a minute', async (plan) => {
    const { chat, provider } = await drive();
    const [, tpm] = PROMISED[plan];
    const { status, body, headers } = await chat(plan, { max_tokens: tpm });
    expect(status).toBe(429);
    expect(body.error).toMatchObject({ code: 'rate_limit_exceeded', type: 'tokens' });
    expect(body.error.message).toContain(`limit ${tpm}, used 0`);
    expect(body.limits).toMatchObject([{ name: 'tpm', unit: 'tokens', limit: tpm, used: 0 }]);
    expect(headers.get('x-should-retry')).toBe('false');
    expect(provider.calls).toEqual([]);
  });

  it.each(PLAN_NAMES)('S13: lets the plan %s spend its money of a day, to the last call that fits', async (plan) => {
    const [, tpm, , perDay] = PROMISED[plan];
    // At $40 for a million tokens, a call of nearly all tokens of a minute.
    const output = tpm - 1000;
    const { clock, chat } = await drive({ input: 0, output });
    const cost = output * 40;
    for (let spent = 0; spent + cost <= perDay; spent += cost) {
      expect((await chat(plan, { model: 'large', max_tokens: output })).status).toBe(200);
      clock.advance('2m');
    }
    const { status, body, headers } = await chat(plan, { model: 'large', max_tokens: output });
    expect(status).toBe(429);
    expect(body.error).toMatchObject({ code: 'insufficient_quota', type: 'insufficient_quota' });
    expect(headers.get('x-should-retry')).toBe('false');
    expect(Number(headers.get('retry-after'))).toBe((Date.parse('2026-01-16') - clock.now()) / 1000);
    const used = Math.floor(perDay / cost) * cost;
    expect(body.limits).toEqual([
      { name: 'perDay', unit: 'micro-dollars', limit: perDay, used, resetAt: '2026-01-16T00:00:00.000Z' },
    ]);
    clock.set(Date.UTC(2026, 0, 16));
    expect((await chat(plan, { model: 'large', max_tokens: output })).status).toBe(200);
  });

  it('S13: refuses the eleventh call of a minute, and the 101st of a day, of the plan free', async () => {
    const { clock, chat } = await drive();
    for (let minute = 0; minute < 10; minute += 1) {
      for (let i = 0; i < 10; i += 1) expect((await chat('free')).status).toBe(200);
      const { status, body, headers } = await chat('free');
      expect(status).toBe(429);
      expect(body.limits).toContainEqual(expect.objectContaining({ name: 'rpm', limit: 10, used: 10 }));
      if (minute < 9) expect(headers.get('retry-after')).toBe('60');
      clock.advance('2m');
    }
    const { body } = await chat('free');
    expect(body.error.code).toBe('insufficient_quota');
    expect(body.limits).toMatchObject([{ name: 'rpd', unit: 'requests', limit: 100, used: 100 }]);
  });

  it('refuses a model without a price by name, and spends nothing', async () => {
    const { chat } = await drive();
    const { status, body } = await chat('free', { model: 'unheard-of' });
    expect([status, body.error.param, body.error.code]).toEqual([400, 'model', 'model_not_found']);
    expect(body.error.message).toContain('unheard-of');
    expect((await chat('free')).headers.get('x-ratelimit-remaining-requests')).toBe('9');
  });

  it("takes Anthropic's dialect by the same limits, and never passes on the key of the customer", async () => {
    const { url, provider } = await drive();
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'basic-key', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('anthropic-ratelimit-requests-remaining')).toBe('49');
    expect(await response.json()).toMatchObject({ type: 'message', usage: { output_tokens: 20 } });
    expect(JSON.stringify(provider.calls[0]?.headers)).not.toContain('basic-key');
  });

  it.each([
    ['{"model":', 400],
    [JSON.stringify({ model: 'x'.repeat(5_000_000) }), 413],
  ])('names a body that it cannot read, without a stack (%#)', async (body, status) => {
    const { url } = await drive();
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(status);
    expect(await response.text()).not.toMatch(/node_modules|at .*:\d+:\d+/);
  });

  it('turns unknown keys away', async () => {
    const { chat, provider } = await drive();
    expect((await chat('none' as PlanName)).status).toBe(401);
    expect(provider.calls).toEqual([]);
  });
});
