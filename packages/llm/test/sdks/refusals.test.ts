import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fixedWindow } from '@sluice/core';
import { generateText } from 'ai';
import { createOpenAI as createOpenAI3 } from 'ai-sdk-openai3';
import { generateText as generateText6 } from 'ai6';
import OpenAI from 'openai';
import OpenAI6 from 'openai6';
import { type Gateway, gateway } from '../answer/gateway.js';

const MODEL = 'gpt-5.6';
const messages = [{ role: 'user' as const, content: 'Hi' }];
const apiKey = 'any';

/** Returns what a client throws, with the retries that it makes by default. */
type Call = (url: string, model?: string) => Promise<unknown>;

async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('the call was not refused');
}

const openai =
  (Client: typeof OpenAI): Call =>
  (url, model = MODEL) =>
    thrownBy(new Client({ baseURL: `${url}/v1`, apiKey }).chat.completions.create({ model, messages, max_tokens: 10 }));

const anthropic: Call = (url, model = MODEL) =>
  thrownBy(new Anthropic({ baseURL: url, apiKey }).messages.create({ model, messages, max_tokens: 10 }));

type Generate = typeof generateText;
type Model = Parameters<Generate>[0]['model'];

const aiSdk =
  (generate: Generate, modelOf: (baseURL: string, model: string) => Model): Call =>
  (url, model = MODEL) =>
    thrownBy(generate({ model: modelOf(`${url}/v1`, model), prompt: 'Hi', maxOutputTokens: 10 }));

const OPENAI: readonly (readonly [string, Call])[] = [
  ['openai 6.49', openai(OpenAI6 as unknown as typeof OpenAI)],
  ['openai 7.57', openai(OpenAI)],
];

const AI: readonly (readonly [string, Call])[] = [
  [
    'ai 6.0',
    aiSdk(generateText6 as unknown as Generate, (baseURL, model) => createOpenAI3({ baseURL, apiKey }).chat(model)),
  ],
  ['ai 7.0', aiSdk(generateText, (baseURL, model) => createOpenAI({ baseURL, apiKey }).chat(model))],
];

const ANTHROPIC = ['@anthropic-ai/sdk 1.12', anthropic] as const;

let served: Gateway;
afterEach(() => served.close());

/** Serves a budget that is used up. */
async function usedUp(options: Parameters<typeof gateway>[0] = {}): Promise<void> {
  served = await gateway({ plan: { perDay: 0 }, ...options });
}

const BUDGET = 'Quota reached for the budget of the day.';
const QUOTA = { message: BUDGET, code: 'insufficient_quota', type: 'insufficient_quota', param: null };

describe.each(OPENAI)('%s', (_name, call) => {
  it.each(['problem', 'openai'] as const)(
    'ends after one call with code, type and message of a used budget: %s',
    async (errors) => {
      await usedUp({ errors });
      const error = await call(served.url);
      expect(error).toMatchObject({
        status: 429,
        code: 'insufficient_quota',
        type: 'insufficient_quota',
        error: QUOTA,
      });
      expect((error as Error).message).toContain(BUDGET);
      expect((error as Error).constructor.name).toBe('RateLimitError');
      expect(served.arrived()).toBe(1);
    },
  );

  it('reads a body that is no call, and a model without a price', async () => {
    served = await gateway({ plan: {} });
    expect(await call(served.url, 'gpt-9')).toMatchObject({ status: 400, code: 'model_not_found', param: 'model' });
    expect(served.arrived()).toBe(1);
  });

  it('comes again when the answer says so', async () => {
    served = await gateway({ plan: { parallel: 1 } });
    const first = served.post({ model: MODEL, messages, max_tokens: 1 }, undefined, { 'x-waits': 'yes' });
    while (served.arrived() === 0) await new Promise((resolve) => setImmediate(resolve));
    const begun = call(served.url).catch((error: unknown) => error);
    while (served.arrived() < 2) await new Promise((resolve) => setImmediate(resolve));
    served.release();
    expect(String(await begun)).toContain('was not refused');
    expect((await first).status).toBe(200);
    expect(served.arrived()).toBe(3);
  });
});

describe(ANTHROPIC[0], () => {
  it.each(['problem', 'anthropic'] as const)(
    'ends after one call with the message of a used budget: %s',
    async (errors) => {
      await usedUp({ errors, headers: 'anthropic' });
      const error = await anthropic(served.url);
      expect(error).toMatchObject({ status: 429 });
      expect((error as Error).constructor.name).toBe('RateLimitError');
      expect((error as Error).message).toContain(BUDGET);
      if (errors === 'anthropic') expect(error).toMatchObject({ type: 'rate_limit_error' });
      expect(served.arrived()).toBe(1);
    },
  );
});

/** Waits that no SDK honours, or that some would sleep through. */
const LONG_WAITS = ['61s', '1h', '30d'] as const;

describe.each([...OPENAI, ANTHROPIC])('%s, told to wait', (_name, call) => {
  it.each(LONG_WAITS)('for %s, ends after one call, with the wait in its fields', async (window) => {
    served = await gateway({ plan: { rpm: fixedWindow({ limit: 1, window }) } });
    await served.post({ model: MODEL, messages, max_tokens: 1 });
    const { headers } = (await call(served.url)) as { headers: Headers };
    const seconds = { '61s': '61', '1h': '3600', '30d': '2592000' }[window];
    expect([headers.get('retry-after'), headers.get('retry-after-ms')]).toEqual([seconds, null]);
    expect(served.arrived()).toBe(2);
  });
});

describe.each(AI)('%s', (_name, call) => {
  it('ends after one call with an APICallError, if budgets have the status 403', async () => {
    await usedUp({ budgetStatus: 403 });
    const error = await call(served.url);
    expect(error).toMatchObject({ statusCode: 403, isRetryable: false, message: BUDGET });
    expect((error as Error).name).toBe('AI_APICallError');
    expect(JSON.parse((error as { responseBody: string }).responseBody).error).toEqual(QUOTA);
    expect(served.arrived()).toBe(1);
  });
});
