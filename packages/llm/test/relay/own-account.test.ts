import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { createLlm, type WithheldErrorEvent } from '../../src/index.js';
import { concernOf } from '../../src/relay/own-account.js';

/** What providers answer, by their documentation: see own-account.ts. */
const ERRORS: readonly (readonly [concern: string, status: number, body: object | string])[] = [
  ['account', 401, openAi('Incorrect API key provided: sk-abc. You can find your API key at …', 'invalid_api_key')],
  [
    'account',
    403,
    anthropic('permission_error', 'Your API key does not have permission to use the specified resource.'),
  ],
  ['account', 402, { error: { message: 'Insufficient credits', code: 402 } }],
  [
    'account',
    429,
    openAi('You exceeded your current quota, please check your plan and billing details.', 'insufficient_quota'),
  ],
  ['account', 400, anthropic('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.')],
  ['account', 400, openAi('Your organization must be verified to stream this model.', 'unsupported_value')],
  ['account', 404, openAi('Project `proj_9AbcDefGh` does not have access to model `gpt-5.6`.', 'model_not_found')],
  ['account', 500, openAi('Failed for org-AbCdEf123456', null)],
  [
    'account',
    400,
    { message: 'User: arn:aws:iam::123456789012:user/gateway is not authorized to perform: bedrock:InvokeModel' },
  ],
  [
    'limits',
    429,
    openAi(
      'Rate limit reached for gpt-5.6 in organization org-AbCdEf123 on tokens per min (TPM): Limit 30000, Used 29000.',
      'rate_limit_exceeded',
    ),
  ],
  [
    'limits',
    429,
    anthropic(
      'rate_limit_error',
      "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
    ),
  ],
  [
    'limits',
    429,
    {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota, please check your plan and billing details.',
      },
    },
  ],
  ['client', 429, { message: 'Too many requests, please wait before trying again.' }],
  ['client', 529, anthropic('overloaded_error', 'Overloaded')],
  ['client', 400, openAi("Invalid type for 'temperature': expected a number.", 'invalid_type')],
  ['client', 404, openAi('The model `gpt-9` does not exist or you do not have access to it.', 'model_not_found')],
  ['client', 413, anthropic('request_too_large', 'Request exceeds the maximum size')],
  [
    'client',
    403,
    { error: { code: 403, message: 'Flagged', metadata: { reasons: ['violence'], flagged_input: '…' } } },
  ],
  ['client', 500, openAi('The server had an error while processing your request.', null)],
  ['client', 502, '<html>Bad Gateway</html>'],
];

function openAi(message: string, code: string | null): object {
  return { error: { message, type: 'error', param: null, code } };
}

function anthropic(type: string, message: string): object {
  return { type: 'error', error: { type, message } };
}

const textOf = (body: object | string): string => (typeof body === 'string' ? body : JSON.stringify(body));

describe('an error of a provider', () => {
  it.each(ERRORS)('concerns the %s: %i %j', (concern, status, body) => {
    expect(concernOf(status, textOf(body))).toBe(concern);
  });
});

const CHANNEL = 'sluice:llm-withheld-error';
const events: WithheldErrorEvent[] = [];
const listen = (event: unknown): void => void events.push(event as WithheldErrorEvent);

describe('the client of a relay', () => {
  afterEach(() => {
    unsubscribe(CHANNEL, listen);
    events.length = 0;
  });

  async function answered(
    path: string,
    status: number,
    body: string | ReadableStream<Uint8Array>,
    headers: Record<string, string> = {},
  ) {
    subscribe(CHANNEL, listen);
    const llm = createLlm<[Request]>({ call: () => ({ model: 'm', messages: [] }), plan: { rpm: 5 } });
    const limiter = createLimiter<Request>({ limits: llm.policy.limits, keyGenerator: () => 'ann' });
    const request = new Request(`http://gateway${path}`, { method: 'POST' });
    await llm.policy.extraHeaders(request, await limiter.reserve(request));
    return llm.relay(request, async () => new Response(body, { status, headers }));
  }

  it.each(ERRORS)('gets what it may know of an error that concerns the %s: %i %j', async (concern, status, body) => {
    const text = textOf(body);
    const headers = { 'openai-organization': 'acme', 'x-ratelimit-limit-tokens': '30000', 'retry-after': '7' };
    const answer = await answered('/v1/chat/completions', status, text, headers);
    const got = await answer.text();
    expect(answer.status).toBe(concern === 'account' ? 502 : status);
    expect(answer.headers.get('retry-after')).toBe(concern === 'account' ? null : '7');
    expect([...answer.headers.keys()].filter((name) => /openai-org|ratelimit/.test(name))).toEqual([]);
    if (concern === 'client') expect(got).toBe(text);
    else
      expect(JSON.parse(got)).toMatchObject({
        error: { message: expect.stringMatching(/^The model (?:is busy|cannot be reached)/) },
      });
    expect(events).toEqual(concern === 'client' ? [] : [{ model: 'm', format: 'openai-chat', status, body: text }]);
  });

  it('gets it in its own dialect', async () => {
    const answer = await answered(
      '/v1/messages',
      429,
      textOf(anthropic('rate_limit_error', "your organization's limit")),
    );
    expect(await answer.json()).toEqual({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'The model is busy. Try again later.' },
    });
  });

  it.each([
    ['longer than an error can be', 'x'.repeat(70_000)],
    ['broken off', new ReadableStream({ start: (body) => body.error(new Error('gone')) })],
  ])('gets no error that is %s', async (_what, body) => {
    const answer = await answered('/v1/chat/completions', 500, body);
    expect([answer.status, events.map((event) => event.body)]).toEqual([502, ['']]);
  });

  it.each([
    ['Anthropic', { content: [{ type: 'tool_use', name: 'report', input: { error: { message: 'over quota' } } }] }],
    ['Gemini', { parts: [{ functionCall: { name: 'report', args: { error: { message: 'over quota' } } } }] }],
    ['Bedrock', { output: { message: { content: [{ toolUse: { input: { error: { message: 'your plan' } } } }] } } }],
    ['OpenAI, which repeats tools,', { tools: [{ parameters: { error: { message: 'billing' } } }], output: [] }],
  ])('gets what a model of %s says to a tool as it is, although it looks like an error', async (_maker, said) => {
    const llm = createLlm<[Request]>({ call: () => ({ model: 'm', messages: [] }), plan: { rpm: 5 } });
    const request = new Request('http://gateway/v1/responses/resp_1');
    const answer = await llm.collect(request, 'resp_1', async () => Response.json(said));
    expect(await answer.json()).toEqual(said);
  });

  it('gets no error of a provider beside words to a tool', async () => {
    const llm = createLlm<[Request]>({ call: () => ({ model: 'm', messages: [] }), plan: { rpm: 5 } });
    const error = { message: 'You exceeded your current quota.' };
    const answer = await llm.collect(new Request('http://gateway/v1/responses/resp_1'), 'resp_1', async () =>
      Response.json({ tools: [{ parameters: {} }], error }),
    );
    expect(await answer.text()).not.toContain('quota');
  });

  it.each([0, 200_000])(
    'gets no error about the account with an answer that it fetches: %i bytes before it',
    async (bytes) => {
      subscribe(CHANNEL, listen);
      const llm = createLlm<[Request]>({ call: () => ({ model: 'm', messages: [] }), plan: { rpm: 5 } });
      const output = [{ type: 'message', content: [{ type: 'output_text', text: 'x'.repeat(bytes) }] }];
      const error = { code: 'server_error', message: 'Failed for org-AbCdEf123456' };
      const failed = { id: 'resp_1', object: 'response', status: 'failed', output, error, usage: null };
      const answer = await llm.collect(new Request('http://gateway/v1/responses/resp_1'), 'resp_1', async () =>
        Response.json(failed),
      );
      expect(await answer.json()).toEqual({
        ...failed,
        error: { ...error, message: 'The model cannot go on. Try again later.' },
      });
      expect(events).toHaveLength(1);
    },
  );
});
