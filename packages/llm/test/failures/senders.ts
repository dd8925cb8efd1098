import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { Readable } from 'node:stream';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { createLimiter, MemoryStore } from '@sluice/core';
import { generateText, wrapLanguageModel } from 'ai';
import { createAnthropic as createAnthropic3 } from 'ai-sdk-anthropic3';
import { createOpenAI as createOpenAI3 } from 'ai-sdk-openai3';
import { generateText as generateText6, wrapLanguageModel as wrapLanguageModel6 } from 'ai6';
import OpenAI from 'openai';
import OpenAI6 from 'openai6';
import { type AiCall, limitMiddleware } from '../../src/ai-sdk/index.js';
import { type OutgoingCall, providerFetch } from '../../src/fetch/index.js';
import { createLlm, type LlmPlan, type Send } from '../../src/index.js';
import { PRICES, usedOf } from '../limited.js';

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const MODEL = 'gpt-5.6';
const PLAN: LlmPlan = { rpm: 1000, rpd: 1000, tpm: 1_000_000, parallel: 100, perDay: 100_000_000 };
const messages = [{ role: 'user' as const, content: 'Hi' }];
const BODY = { model: MODEL, messages, max_tokens: 100 };
const apiKey = 'any';

/** How long a caller waits that gives up. */
const PATIENCE_MS = 60;

/** A way to send calls within limits. */
export interface Sender {
  readonly name: string;
  /** Whether nobody but the library sees what an error states: it hands on the error without the rest of the body. */
  readonly hidesUsage: boolean;
  /** Sends one call to a provider, and returns what its limits count when it has ended. */
  send(url: string, isGivenUp: boolean): Promise<Used>;
}

export type Used = Readonly<Record<string, number>>;

/** What a relay sends with. The body is that of OpenAI's chat. */
type SendOf = (url: string, isGivenUp: boolean) => Send;

const signalOf = (signal: AbortSignal, isGivenUp: boolean): AbortSignal =>
  isGivenUp ? AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]) : signal;

const byFetch: SendOf = (url, isGivenUp) => (body, signal) =>
  fetch(`${url}/v1/chat/completions`, { method: 'POST', body, signal: signalOf(signal, isGivenUp) });

const byOpenAi =
  (Client: typeof OpenAI): SendOf =>
  (url, isGivenUp) => {
    const client = new Client({ baseURL: `${url}/v1`, ...clientOptions(isGivenUp) });
    return (body, signal) => client.chat.completions.create(JSON.parse(body), { signal }).asResponse();
  };

const byAnthropic: SendOf = (baseURL, isGivenUp) => {
  const client = new Anthropic({ baseURL, ...clientOptions(isGivenUp) });
  return (body, signal) => client.messages.create(JSON.parse(body), { signal }).asResponse();
};

const clientOptions = (isGivenUp: boolean) => ({ apiKey, maxRetries: 0, ...(isGivenUp && { timeout: PATIENCE_MS }) });

/** Without a library that wraps errors. */
const byNode: SendOf = (url, isGivenUp) => (body, signal) =>
  new Promise((resolve, reject) => {
    const { protocol, port } = new URL(url);
    // `fetch` has a list of ports that Node itself calls.
    if (port === '9') reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' }));
    const options = { method: 'POST', signal: signalOf(signal, isGivenUp) };
    (protocol === 'https:' ? requestTls : request)(`${url}/v1/chat/completions`, options, (answer) => {
      const stream = Readable.toWeb(answer) as ReadableStream<Uint8Array>;
      resolve(new Response(stream, { status: answer.statusCode ?? 0 }));
    })
      .on('error', reject)
      .end(body);
  });

function relaying(name: string, sendOf: SendOf, hidesUsage = false): Sender {
  return {
    name: `a relay by ${name}`,
    hidesUsage,
    async send(url, isGivenUp) {
      const llm = createLlm<[Request]>({ call: () => BODY, plan: PLAN, prices: PRICES });
      const { limits } = llm.policy;
      const limiter = createLimiter<Request>({ limits, keyGenerator: () => 'ann', store: new MemoryStore() });
      const call = new Request('http://gateway/v1/chat/completions', { method: 'POST' });
      await llm.policy.extraHeaders(call, await limiter.reserve(call));
      const answer = await llm.relay(call, sendOf(url, isGivenUp));
      await answer.text().catch(() => {});
      return usedOf(await limiter.peek(call));
    },
  };
}

type CallBy = (url: string, options: { readonly fetch: typeof fetch; readonly timeout?: number }) => Promise<unknown>;

/** By `providerFetch`, raw or as the `fetch` of an SDK. */
function providerFetching(name: string, call: CallBy): Sender {
  return {
    name: `providerFetch in ${name}`,
    hidesUsage: false,
    async send(url, isGivenUp) {
      const llm = createLlm<[OutgoingCall]>({ call: ({ body }) => body, plan: PLAN, prices: PRICES });
      let subject: OutgoingCall | undefined;
      const limiter = createLimiter<OutgoingCall>({
        limits: llm.policy.limits,
        keyGenerator: (call) => {
          subject = call;
          return call.key;
        },
        store: new MemoryStore(),
      });
      const limited = providerFetch(limiter, { prices: PRICES });
      await call(url, { fetch: limited, ...(isGivenUp && { timeout: PATIENCE_MS }) }).catch(() => {});
      return usedOf(await limiter.peek(subject as unknown as OutgoingCall));
    },
  };
}

type Generate = (middleware: ReturnType<typeof limitMiddleware>, url: string, signal?: AbortSignal) => Promise<unknown>;

function aiSdk(name: string, generate: Generate, specificationVersion: 'v3' | 'v4'): Sender {
  return {
    name: `the middleware of ${name}`,
    hidesUsage: false,
    async send(url, isGivenUp) {
      const llm = createLlm<[AiCall]>({ call: ({ body }) => body, plan: PLAN, prices: PRICES, expectedOutput: 100 });
      const { limits } = llm.policy;
      const limiter = createLimiter<AiCall>({ limits, keyGenerator: () => 'ann', store: new MemoryStore() });
      const middleware = limitMiddleware({ llm, limiter, specificationVersion }) as ReturnType<typeof limitMiddleware>;
      const signal = isGivenUp ? AbortSignal.timeout(PATIENCE_MS) : undefined;
      await generate(middleware, `${url}/v1`, signal).catch(() => {});
      return usedOf(await limiter.peek({ body: BODY } as unknown as AiCall));
    },
  };
}

const askOf = (abortSignal?: AbortSignal) => ({ prompt: 'Hi', maxRetries: 0, ...(abortSignal && { abortSignal }) });

type Model7 = Parameters<typeof wrapLanguageModel>[0]['model'];
type Model6 = Parameters<typeof wrapLanguageModel6>[0]['model'];

const with7 =
  (modelOf: (baseURL: string) => Model7): Generate =>
  (middleware, url, signal) =>
    generateText({ model: wrapLanguageModel({ model: modelOf(url), middleware }), ...askOf(signal) });

const with6 =
  (modelOf: (baseURL: string) => Model6): Generate =>
  (middleware, url, signal) => {
    const model = wrapLanguageModel6({ model: modelOf(url), middleware: middleware as never });
    return generateText6({ model, ...askOf(signal) });
  };

export const SENDERS: readonly Sender[] = [
  relaying('fetch', byFetch),
  relaying('node:http', byNode),
  relaying('openai 7', byOpenAi(OpenAI), true),
  relaying('openai 6', byOpenAi(OpenAI6 as unknown as typeof OpenAI), true),
  relaying('@anthropic-ai/sdk', byAnthropic, true),
  providerFetching('a program', async (url, { fetch, timeout }) => {
    const signal = timeout === undefined ? null : AbortSignal.timeout(timeout);
    const body = JSON.stringify(BODY);
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, signal });
    await answer.text();
  }),
  providerFetching('openai 7', (url, options) =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, ...options }).chat.completions.create(BODY),
  ),
  providerFetching('openai 6', (url, options) =>
    new OpenAI6({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, ...options }).chat.completions.create(BODY),
  ),
  providerFetching('@anthropic-ai/sdk', (baseURL, options) =>
    new Anthropic({ baseURL, apiKey, maxRetries: 0, ...options }).messages.create(BODY),
  ),
  aiSdk(
    'ai 7, openai',
    with7((baseURL) => createOpenAI({ baseURL, apiKey })(MODEL)),
    'v4',
  ),
  aiSdk(
    'ai 7, anthropic',
    with7((baseURL) => createAnthropic({ baseURL, apiKey })(MODEL)),
    'v4',
  ),
  aiSdk(
    'ai 6, openai',
    with6((baseURL) => createOpenAI3({ baseURL, apiKey }).chat(MODEL)),
    'v3',
  ),
  aiSdk(
    'ai 6, anthropic',
    with6((baseURL) => createAnthropic3({ baseURL, apiKey })(MODEL)),
    'v3',
  ),
];
