import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { rateLimit } from '@sluice/express';
import express, { type Request, type Response } from 'express';
import { createLlm, type LlmOptions } from '../../src/index.js';
import { createFakeProvider } from '../../src/testing/index.js';

type Args = [req: Request, res: Response];

const MESSAGES = [{ role: 'user', content: 'Hi' }];
const CALLERS = {
  openai: ['/v1/chat/completions', { model: 'm', messages: MESSAGES, max_tokens: 5 }],
  anthropic: ['/v1/messages', { model: 'm', messages: MESSAGES, max_tokens: 5 }],
  google: ['/v1beta/models/m:generateContent', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }],
  aws: ['/model/m/converse', { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }],
} as const;
type Caller = keyof typeof CALLERS;

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

/** One gateway for callers of all dialects, in front of the fake provider. */
async function gateway(options: Partial<LlmOptions<Args>> = {}) {
  const clock = new ManualClock();
  const provider = await createFakeProvider({ clock, answer: { input: 3, output: 2, chunks: ['Hello', ' to you.'] } });
  const llm = createLlm<Args>({ call: (req) => req.body, plan: { rpm: 4, tpm: 1e6 }, clock, ...options });
  const store = new MemoryStore({ clock });
  const app = express().use(express.text({ type: '*/*' }));
  app.use(rateLimit({ name: 'llm', store, keyGenerator: () => 'ann', ...llm.policy }));
  app.use((req, res) =>
    llm.relay({ req, res }, (body) => fetch(`${provider.url}${req.originalUrl}`, { method: 'POST', body })),
  );
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => provider.close(),
    () => store.close(),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = async (caller: Caller, change: object = {}, path: string = CALLERS[caller][0]) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      body: JSON.stringify({ ...CALLERS[caller][1], ...change }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: () => JSON.parse(text) };
  };
  return { post, provider };
}

const MESSAGE = 'Rate limit reached for requests per minute (RPM): limit 4, used 4, requested 1. Try again in 60 s.';
const REFUSALS: Readonly<Record<Caller, object>> = {
  openai: { error: { message: MESSAGE, type: 'requests', param: null, code: 'rate_limit_exceeded' } },
  anthropic: { type: 'error', error: { type: 'rate_limit_error', message: MESSAGE } },
  google: {
    error: {
      code: 429,
      message: MESSAGE,
      status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '60s' }],
    },
  },
  aws: { __type: 'ThrottlingException', message: MESSAGE },
};
const INVALID: Readonly<Record<Caller, object>> = {
  openai: { error: { type: 'invalid_request_error', param: 'messages' } },
  anthropic: { error: { type: 'invalid_request_error' } },
  google: { error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ fieldViolations: [{ field: 'contents' }] }] } },
  aws: { __type: 'ValidationException' },
};
const CALLER_NAMES = Object.keys(CALLERS) as Caller[];

describe('a gateway for callers of all dialects', () => {
  it('passes their calls on, and refuses each in its own words', async () => {
    const { post, provider } = await gateway();
    for (const caller of CALLER_NAMES) expect((await post(caller)).status).toBe(200);
    expect(provider.calls.map(({ text }) => JSON.parse(text))).toEqual(
      CALLER_NAMES.map((caller) => CALLERS[caller][1]),
    );
    for (const caller of CALLER_NAMES) {
      const { status, headers, json } = await post(caller);
      const { limits, ...body } = json();
      expect([status, headers.get('retry-after'), body, limits]).toEqual([
        429,
        '60',
        REFUSALS[caller],
        [expect.objectContaining({ name: 'rpm' })],
      ]);
    }
  });

  it('states the limits in the header fields of each', async () => {
    const { post } = await gateway();
    const own = /^(?:x|anthropic)-ratelimit-.*requests/;
    const names = async (caller: Caller) => [...(await post(caller)).headers.keys()].filter((name) => own.test(name));
    expect(await names('openai')).toContain('x-ratelimit-remaining-requests');
    expect(await names('anthropic')).toContain('anthropic-ratelimit-requests-remaining');
    expect([await names('google'), await names('aws')]).toEqual([[], []]);
  });

  it('says in the words of each what is wrong with a body', async () => {
    const { post } = await gateway();
    for (const caller of CALLER_NAMES) {
      const { status, json } = await post(caller, { messages: 5, contents: 5 });
      expect([status, json()]).toMatchObject([400, INVALID[caller]]);
    }
  });

  it('answers all of them in one form if the application says so', async () => {
    const { post } = await gateway({ plan: { rpm: 0 }, errors: 'aws', headers: 'openai' });
    for (const caller of CALLER_NAMES) {
      const { headers, json } = await post(caller);
      expect([headers.get('x-ratelimit-limit-requests'), json()]).toMatchObject([
        '0',
        { __type: 'ThrottlingException' },
      ]);
    }
  });

  it.each<[path: string, caller: Caller]>([
    ['/v1beta/models/m:streamGenerateContent?alt=sse', 'google'],
    ['/v1beta/models/m:streamGenerateContent', 'google'],
    ['/model/m/converse-stream', 'aws'],
  ])('streams %s to the byte', async (path, caller) => {
    const { post, provider } = await gateway();
    const { status, headers, text } = await post(caller, {}, path);
    const direct = await fetch(provider.url + path, { method: 'POST', body: JSON.stringify(CALLERS[caller][1]) });
    expect([status, headers.get('content-type')]).toEqual([200, direct.headers.get('content-type')]);
    expect(text.replaceAll('fake-1', 'fake-2')).toBe(await direct.text());
  });

  it.each([
    '/v1/images/variations',
    '/v1/realtime',
    '/v1/realtime?model=m',
    '/model/m/async-invoke',
    '/v1/audio/translations',
    '/v1beta/models/veo:predictLongRunning',
  ])('refuses %s clearly', async (path) => {
    const { post, provider } = await gateway();
    const { status, json } = await post('openai', {}, path);
    expect([status, json()]).toMatchObject([400, { error: { type: 'invalid_request_error', param: 'url' } }]);
    expect(provider.calls).toEqual([]);
  });
});
