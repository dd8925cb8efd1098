import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Duration, MemoryStore, slidingWindow } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { until } from '@sluice/test-kit/until';
import { APICallError, generateText, streamText, wrapLanguageModel } from 'ai';
import { createAnthropic as createAnthropic3 } from 'ai-sdk-anthropic3';
import { createOpenAI as createOpenAI3 } from 'ai-sdk-openai3';
import { generateText as generateText6, streamText as streamText6, wrapLanguageModel as wrapLanguageModel6 } from 'ai6';
import { type AiCall, limitMiddleware } from '../../src/ai-sdk/index.js';
import { createLlm, type LlmPlan, usd } from '../../src/index.js';
import { createFakeProvider, type FakeAnswer, type FakeProvider } from '../../src/testing/index.js';
import { PRICES, usedOf } from '../limited.js';

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

/** Of gpt-5.6, a token of the prompt costs one micro-dollar, and one of the output ten. */
const MODEL = 'gpt-5.6';
const ANSWER: FakeAnswer = { input: 12, output: 5 };
const PLAN: LlmPlan = { rpm: 100, tpm: 10_000, parallel: 5, perDay: usd('1') };

interface User {
  readonly id: string;
}

let provider: FakeProvider;

beforeEach(async () => {
  provider = await createFakeProvider({ answer: ANSWER });
});
afterEach(() => provider.close());

function limited(plan: LlmPlan = PLAN, clock = new ManualClock(), hold: 'expected' | 'ceiling' = 'expected') {
  const llm = createLlm<[AiCall<User>]>({
    call: ({ body }) => body,
    plan,
    prices: PRICES,
    clock,
    hold,
    ...(hold === 'expected' && { expectedOutput: 100 }),
  });
  const limiter = createLimiter<AiCall<User>>({
    name: 'llm',
    store: new MemoryStore({ clock }),
    limits: llm.policy.limits,
    keyGenerator: ({ context }) => context.id,
  });
  const subject = { body: { model: MODEL, messages: [] }, context: { id: 'ann' } } as unknown as AiCall<User>;
  const used = async () => usedOf(await limiter.peek(subject));
  return { llm, limiter, clock, used, context: { id: 'ann' } };
}

type Limited = ReturnType<typeof limited>;

/** What both majors have in common here; their types differ in what is not used. */
interface Sdk {
  readonly name: string;
  generate(limits: Limited, options?: object): Promise<{ readonly text: string }>;
  stream(limits: Limited, options?: object): { readonly textStream: AsyncIterable<string> };
}

const settings = (url = provider.url) => ({ baseURL: `${url}/v1`, apiKey: 'any' });

function sdk7(name: string, modelOf: () => Parameters<typeof wrapLanguageModel>[0]['model']): Sdk {
  const wrapped = ({ llm, limiter, context }: Limited, maxWait?: Duration) =>
    wrapLanguageModel({
      model: modelOf(),
      middleware: limitMiddleware({ llm, limiter, context, ...(maxWait !== undefined && { maxWait }) }),
    });
  const request = { prompt: 'Hi', maxRetries: 0 };
  return {
    name,
    generate: (limits, { maxWait, ...options }: { maxWait?: Duration } = {}) =>
      generateText({ model: wrapped(limits, maxWait), ...request, ...options }),
    stream: (limits, options) => streamText({ model: wrapped(limits), onError: () => {}, ...request, ...options }),
  };
}

function sdk6(name: string, modelOf: () => Parameters<typeof wrapLanguageModel6>[0]['model']): Sdk {
  const wrapped = ({ llm, limiter, context }: Limited, maxWait?: Duration) =>
    wrapLanguageModel6({
      model: modelOf(),
      middleware: limitMiddleware({
        llm,
        limiter,
        context,
        specificationVersion: 'v3',
        ...(maxWait !== undefined && { maxWait }),
      }),
    });
  const request = { prompt: 'Hi', maxRetries: 0 };
  return {
    name,
    generate: (limits, { maxWait, ...options }: { maxWait?: Duration } = {}) =>
      generateText6({ model: wrapped(limits, maxWait), ...request, ...options }),
    stream: (limits, options) => streamText6({ model: wrapped(limits), onError: () => {}, ...request, ...options }),
  };
}

const SDKS: readonly Sdk[] = [
  sdk7('ai 7, openai', () => createOpenAI(settings())(MODEL)),
  sdk7('ai 7, anthropic', () => createAnthropic(settings())(MODEL)),
  sdk6('ai 6, openai', () => createOpenAI3(settings()).chat(MODEL)),
  sdk6('ai 6, anthropic', () => createAnthropic3(settings())(MODEL)),
];

async function errorOf(attempt: Promise<unknown>): Promise<unknown> {
  try {
    await attempt;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe.each(SDKS.map((sdk) => [sdk.name, sdk] as const))('the middleware with %s', (_name, sdk) => {
  /** Twelve tokens of the prompt and five of the output: 62 micro-dollars. */
  const SETTLED = { rpm: 1, tpm: 17, parallel: 0, perDay: 62 };

  it('holds a call while it runs, and settles it with what it used', async () => {
    const limits = limited();
    const during: unknown[] = [];
    const send: typeof fetch = async (...args) => {
      during.push(await limits.used());
      return fetch(...args);
    };
    globalFetch(send);
    expect((await sdk.generate(limits)).text).toBe('Hello to you and all.');
    expect(during).toMatchObject([{ rpm: 1, parallel: 1 }]);
    expect((during[0] as { tpm: number }).tpm).toBeGreaterThan(100);
    expect(await limits.used()).toEqual(SETTLED);
  });

  it.each([
    ['what it holds, a quarter of a limit', undefined, 2500],
    ['its own cap', 7, 7],
  ])('asks for no more output than %s, with a ceiling', async (_what, maxOutputTokens, cap) => {
    const limits = limited(PLAN, new ManualClock(), 'ceiling');
    await sdk.generate(limits, { maxOutputTokens });
    for await (const _ of sdk.stream(limits, { maxOutputTokens }).textStream);
    const sent = provider.calls.map(
      ({ body }) => body.max_output_tokens ?? body.max_completion_tokens ?? body.max_tokens,
    );
    expect(sent).toEqual([cap, cap]);
  });

  it('settles a stream once, when it has finished', async () => {
    const limits = limited();
    const pieces: string[] = [];
    for await (const piece of sdk.stream(limits).textStream) pieces.push(piece);
    expect(pieces.join('')).toBe('Hello to you and all.');
    await until(async () => (await limits.used()).parallel === 0);
    expect(await limits.used()).toEqual(SETTLED);
  });

  it('counts the pieces of a stream that breaks, and charges the money that was held', async () => {
    provider.next({ ...ANSWER, dropAfter: 2 });
    const limits = limited();
    await readAll(sdk.stream(limits).textStream);
    await until(async () => (await limits.used()).parallel === 0);
    const { tpm = 0, perDay = 0 } = await limits.used();
    expect(tpm).toBeGreaterThan(2);
    expect(tpm).toBeLessThan(30);
    expect(perDay).toBeGreaterThan(1000);
  });

  it('charges nothing to a caller who leaves while the limits are asked', async () => {
    const limits = limited();
    const left = new AbortController();
    const { name, wait } = limits.limiter;
    const reserve = async (call: AiCall<User>) => {
      const reservation = limits.limiter.reserve(call);
      left.abort();
      return reservation;
    };
    const limiter = { name, wait, reserve } as unknown as Limited['limiter'];
    await errorOf(sdk.generate({ ...limits, limiter }, { abortSignal: left.signal }));
    expect(provider.calls).toHaveLength(0);
    expect(await limits.used()).toMatchObject({ tpm: 0, parallel: 0, perDay: 0 });
  });

  it('frees the slot of a stream that is aborted', async () => {
    provider.next({ ...ANSWER, stallAfter: 2 });
    const limits = limited();
    const left = new AbortController();
    const reading = readAll(sdk.stream(limits, { abortSignal: left.signal }).textStream, () => left.abort());
    await reading;
    await until(async () => (await limits.used()).parallel === 0);
    expect((await limits.used()).tpm).toBeLessThan(30);
    expect(await provider.calls[0]?.ended).toBe('left');
  });

  it.each([429, 500, 529])('gives everything but the request back if the provider refuses with %d', async (status) => {
    provider.next({ refuse: { status } }, { refuse: { status } });
    const limits = limited();
    await errorOf(sdk.generate(limits));
    await readAll(sdk.stream(limits).textStream);
    expect(await limits.used()).toEqual({ rpm: 2, tpm: 0, parallel: 0, perDay: 0 });
  });

  it('gives everything back if the provider cannot be reached', async () => {
    await provider.close();
    const limits = limited();
    await errorOf(sdk.generate(limits));
    expect(await limits.used()).toEqual({ rpm: 0, tpm: 0, parallel: 0, perDay: 0 });
    provider = await createFakeProvider();
  });

  it('keeps what was held if the caller leaves before an answer, which may come all the same', async () => {
    provider.next({ silent: true });
    const limits = limited();
    const left = new AbortController();
    const failed = errorOf(sdk.generate(limits, { abortSignal: left.signal }));
    await until(() => provider.calls.length === 1);
    left.abort();
    await failed;
    const { rpm, tpm = 0, parallel } = await limits.used();
    expect([rpm, parallel]).toEqual([1, 0]);
    expect(tpm).toBeGreaterThan(100);
  });

  it('refuses by an APICallError that says when to come again', async () => {
    const limits = limited({ rpm: 1 });
    await sdk.generate(limits);
    limits.clock.advance(15_000);
    const error = await errorOf(sdk.generate(limits));
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      statusCode: 429,
      isRetryable: true,
      message: expect.stringMatching(
        /^Rate limit reached for requests per minute \(RPM\): limit 1, .* Try again in \d+ s\.$/,
      ),
      data: { error: { code: 'rate_limit_exceeded' } },
    });
    const { responseHeaders = {} } = error as APICallError;
    expect(Number(responseHeaders['retry-after-ms'])).toBeGreaterThan(45_000 - 1);
    expect(provider.calls).toHaveLength(1);
    expect(await limits.used()).toEqual({ rpm: 1 });
  });

  it('is asked again by the SDK after retry-after-ms', async () => {
    const limits = limited({ rpm: slidingWindow({ limit: 1, window: '1m' }) });
    await sdk.generate(limits);
    // All but the last milliseconds of the wait have passed. The SDK waits for the rest in real time.
    limits.clock.advance(60_950);
    const retried = sdk.generate(limits, { maxRetries: 1 });
    await until(() => limits.clock.advance(1) === undefined && provider.calls.length === 2);
    expect((await retried).text).toBe('Hello to you and all.');
  });

  it('is asked once if a budget is used up, however many retries the SDK has', async () => {
    const limits = limited({ perDay: 70 });
    await sdk.generate(limits);
    const error = await errorOf(sdk.generate(limits, { maxRetries: 3 }));
    expect(error).toMatchObject({ isRetryable: false, data: { error: { code: 'insufficient_quota' } } });
    expect(APICallError.isInstance(error)).toBe(true);
    expect(provider.calls).toHaveLength(1);
  });

  it('refuses a model without a price by its name, and spends nothing', async () => {
    const limits = limited();
    const other = sdk.name.includes('7')
      ? sdk7('other', () => createOpenAI(settings())('gpt-9'))
      : sdk6('other', () => createOpenAI3(settings()).chat('gpt-9'));
    const error = await errorOf(other.generate(limits, { maxRetries: 3 }));
    expect(error).toMatchObject({ code: 'SLUICE_LLM_CALL', field: 'model', received: 'gpt-9' });
    expect(provider.calls).toHaveLength(0);
    expect(await limits.used()).toEqual({ rpm: 0, tpm: 0, parallel: 0, perDay: 0 });
  });

  it('lets calls wait for their turn, if they may', async () => {
    const limits = limited({ parallel: 1 });
    const all = Array.from({ length: 3 }, () => sdk.generate(limits, { maxWait: '1m' }));
    await Promise.all(all);
    expect(provider.calls).toHaveLength(3);
    expect(await limits.used()).toEqual({ parallel: 0 });
  });
});

async function readAll(stream: AsyncIterable<string>, afterTwo: () => void = () => {}): Promise<void> {
  let read = 0;
  try {
    for await (const _ of stream) {
      read++;
      if (read === 2) afterTwo();
    }
  } catch {
    // Some SDKs throw where the stream breaks, and others end it.
  }
}

const realFetch = globalThis.fetch;

/** The providers' packages look the global up for each call. */
function globalFetch(replacement: typeof fetch): void {
  globalThis.fetch = (...args) => {
    globalThis.fetch = realFetch;
    return replacement(...args);
  };
}

describe('the stream of the middleware', () => {
  const params = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };
  const model = { provider: 'test', modelId: MODEL };
  const finish = { type: 'finish', usage: { inputTokens: { total: 12 }, outputTokens: { total: 5 } } };

  async function begin(parts: readonly unknown[], failure?: Error) {
    const limits = limited();
    const source = { asked: 0, cancelled: undefined as unknown };
    const left = [...parts];
    const stream = new ReadableStream<unknown>(
      {
        pull(controller) {
          source.asked++;
          if (left.length > 0) controller.enqueue(left.shift());
          else if (failure) controller.error(failure);
          else controller.close();
        },
        cancel(reason) {
          source.cancelled = reason;
        },
      },
      { highWaterMark: 0 },
    );
    const doStream = async () => ({ stream, request: { body: 'kept' } });
    const result = await limitMiddleware({
      llm: limits.llm,
      limiter: limits.limiter,
      context: limits.context,
    }).wrapStream({
      doStream,
      params,
      model: { ...model, doStream },
    });
    expect(result.request).toEqual({ body: 'kept' });
    return { limits, source, reader: result.stream.getReader() };
  }

  const pieces = ['one', 'two', 'three'].map((delta) => ({ type: 'text-delta', id: '0', delta }));

  it('asks for a part when somebody wants it, and not before', async () => {
    const { source, reader } = await begin([...pieces, finish]);
    expect(source.asked).toBe(0);
    expect((await reader.read()).value).toBe(pieces[0]);
    expect(source.asked).toBe(1);
  });

  it('is settled as broken if its reader gives up, and the provider hears of it', async () => {
    const { limits, source, reader } = await begin([...pieces, finish]);
    await reader.read();
    await reader.cancel('enough');
    expect(source.cancelled).toBe('enough');
    const { rpm, parallel, tpm = 0 } = await limits.used();
    expect([rpm, parallel]).toEqual([1, 0]);
    expect(tpm).toBeLessThan(20);
  });

  it('is settled as complete if its reader gives up after the last word', async () => {
    const { limits, reader } = await begin([finish, ...pieces]);
    await reader.read();
    await reader.cancel();
    expect(await limits.used()).toEqual({ rpm: 1, tpm: 17, parallel: 0, perDay: 62 });
  });

  it('fails as the stream of the provider does, and is settled before', async () => {
    const failure = new Error('broken');
    const { limits, reader } = await begin(pieces, failure);
    for (const _ of pieces) await reader.read();
    await expect(reader.read()).rejects.toBe(failure);
    expect(await limits.used()).toMatchObject({ rpm: 1, parallel: 0 });
  });
});

describe('options of the middleware', () => {
  it.each<[object, string]>([
    [{}, 'llm must be made by createLlm'],
    [{ llm: {}, limiter: {} }, 'llm.meter must be a function'],
    [{ llm: { meter() {} } }, 'limiter must be a limiter'],
    [
      { llm: { meter() {} }, limiter: { reserve() {} }, specificationVersion: 'v2' },
      'specificationVersion must be one of',
    ],
    [{ llm: { meter() {} }, limiter: { reserve() {} }, wait: '5s' }, 'wait is not an option'],
  ])('are checked: %j', (options, message) => {
    expect(() => limitMiddleware(options as never)).toThrow(message);
  });

  it('have to belong together: a limiter without the limits of the llm gives its charge back', async () => {
    const { llm } = limited();
    const limiter = createLimiter<AiCall<User>>({ name: 'other', limit: 5, window: '1m', keyGenerator: () => 'ann' });
    const model = wrapLanguageModel({
      model: createOpenAI(settings())(MODEL),
      middleware: limitMiddleware({ llm, limiter, context: { id: 'ann' } }),
    });
    await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toThrow(
      expect.objectContaining({ code: 'SLUICE_UNSUPPORTED' }),
    );
    expect(limiter.peek({} as AiCall<User>).tightest.used).toBe(0);
  });
});
