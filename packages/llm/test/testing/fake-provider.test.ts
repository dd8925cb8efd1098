import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { createFakeProvider, type FakeProvider } from '../../src/testing/index.js';

const clock = new ManualClock();
let provider: FakeProvider;

beforeEach(async () => {
  provider = await createFakeProvider({ clock });
});
afterEach(() => provider.close());

const CHAT = { model: 'gpt', messages: [{ role: 'user', content: 'Hi' }] };

function post(path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(`${provider.url}${path}`, { method: 'POST', body: JSON.stringify(body), ...init });
}

/** The data of the events of a stream. */
async function eventsOf(response: Response): Promise<Record<string, unknown>[]> {
  const text = await response.text();
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data as string));
}

const ANSWER = { input: 25, cacheRead: 100, cacheWrite: 7, output: 5, reasoning: 2 };

describe('JSON answers state their usage', () => {
  const details = { prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 7 } };
  const chat = { prompt_tokens: 132, completion_tokens: 5, total_tokens: 137, ...details };
  const reasoning = { completion_tokens_details: { reasoning_tokens: 2 } };
  const responses = {
    input_tokens: 132,
    input_tokens_details: { cached_tokens: 100, cache_write_tokens: 7 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 137,
  };
  const messages = {
    input_tokens: 25,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 7,
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 2 },
  };

  it.each([
    ['/v1/chat/completions', { ...chat, ...reasoning }],
    ['/v1/completions', { ...chat, ...reasoning }],
    ['/v1/responses', responses],
    ['/v1/messages', messages],
    ['/v1/embeddings', { prompt_tokens: 25, total_tokens: 25 }],
  ])('%s', async (path, usage) => {
    provider.next(ANSWER, { ...ANSWER, usage: false });
    const stated = await post(path, CHAT);
    const silent = await post(path, CHAT);
    expect(await stated.json()).toMatchObject({ model: 'gpt', usage });
    expect(Object(await silent.json()).usage ?? undefined).toBe(undefined);
  });
});

describe('streams', () => {
  it('state the usage of a chat only if the caller asks for it, in a last chunk without choices', async () => {
    const asked = await eventsOf(
      await post('/v1/chat/completions', { ...CHAT, stream: true, stream_options: { include_usage: true } }),
    );
    const unasked = await eventsOf(await post('/v1/chat/completions', { ...CHAT, stream: true }));
    expect(asked.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 5 } });
    expect(unasked.filter(({ usage, choices }) => usage !== undefined || (choices as []).length === 0)).toEqual([]);
    expect(asked.length).toBe(unasked.length + 1);
  });

  it('end a response that meets its cap with response.incomplete', async () => {
    const events = await eventsOf(await post('/v1/responses', { ...CHAT, stream: true, max_output_tokens: 2 }));
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { usage: { output_tokens: 2 }, output: [{ content: [{ text: 'Hello to' }] }] },
    });
  });

  it('count one token of a message before the first piece, and all of them at the end', async () => {
    const events = await eventsOf(await post('/v1/messages', { ...CHAT, stream: true }));
    expect(events[0]).toMatchObject({ type: 'message_start', message: { usage: { output_tokens: 1 } } });
    expect(events.at(-2)).toMatchObject({ type: 'message_delta', usage: { output_tokens: 5 } });
  });

  it('break off after so many pieces', async () => {
    provider.next({ dropAfter: 2 });
    const response = await post('/v1/chat/completions', { ...CHAT, stream: true });
    await expect(response.text()).rejects.toThrow();
    expect(provider.calls[0]).toMatchObject({ sent: 2, end: 'dropped', status: 200 });
  });

  it('stall until the caller leaves, and the record says so', async () => {
    provider.next({ stallAfter: 2 });
    const left = new AbortController();
    const response = await post('/v1/messages', { ...CHAT, stream: true }, { signal: left.signal });
    const reader = response.body?.getReader();
    for (let text = ''; !text.includes(' to'); ) text += new TextDecoder().decode((await reader?.read())?.value);
    left.abort();
    expect(await provider.calls[0]?.ended).toBe('left');
    expect(provider.calls[0]?.sent).toBe(2);
  });

  it.each([
    ['/v1/messages', { type: 'error', error: { type: 'overloaded_error' } }],
    ['/v1/chat/completions', { error: { type: 'server_error' } }],
    ['/v1/responses', { type: 'error', code: 'server_is_overloaded' }],
  ])('%s says within a stream that it is overloaded', async (path, error) => {
    provider.next({ errorAfter: 3 });
    const response = await post(path, { ...CHAT, stream: true });
    const events = await eventsOf(response);
    expect(response.status).toBe(200);
    expect(events.at(-1)).toMatchObject(error);
    expect(provider.calls[0]).toMatchObject({ sent: 3, end: 'finished' });
  });

  it('pause on the clock of the provider', async () => {
    provider.next({ pause: '10s', chunks: ['a', 'b'] });
    const response = await post('/v1/chat/completions', { ...CHAT, stream: true });
    for (let i = 0; i < 2; i += 1) {
      await clock.untilSleeping(1);
      clock.advance('10s');
    }
    expect((await eventsOf(response)).length).toBe(4);
  });

  it('come compressed if the answer says so', async () => {
    provider.next({ gzip: true }, {});
    const [zipped, plain] = [
      await post('/v1/messages', { ...CHAT, stream: true }),
      await post('/v1/messages', { ...CHAT, stream: true }),
    ];
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect((await zipped.text()).replaceAll('msg_1', 'msg_2')).toBe(await plain.text());
  });
});

describe('refusals', () => {
  it.each([429, 503, 529])('have the status %d and say how long to wait', async (status) => {
    provider.next({ refuse: { status, retryAfterMs: 1700 } });
    const response = await post('/v1/messages', CHAT);
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(response.headers.get('retry-after-ms')).toBe('1700');
  });

  it('are worded as the vendor words them', async () => {
    provider.next({ refuse: { status: 429, message: 'Too fast' } }, { refuse: { status: 529, message: 'Busy' } });
    expect(await (await post('/v1/responses', CHAT)).json()).toEqual({
      error: { message: 'Too fast', type: 'requests', param: null, code: 'rate_limit_exceeded' },
    });
    expect(await (await post('/v1/messages', CHAT)).json()).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Busy' },
    });
  });
});

describe('limits', () => {
  const limited = async (path: string, key = 'a'): Promise<Response> =>
    post(path, CHAT, { headers: { 'x-api-key': key } });

  beforeEach(async () => {
    await provider.close();
    provider = await createFakeProvider({ clock, rpm: 2, tpm: 100, answer: { input: 30, output: 5 } });
  });

  it('refuse the request above the limit of its key, and admit it when the fields say', async () => {
    const statuses = [await limited('/v1/responses'), await limited('/v1/responses'), await limited('/v1/responses')];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429]);
    const [, , refused] = statuses;
    expect(refused?.headers.get('retry-after-ms')).toBe('30000');
    expect(refused?.headers.get('x-ratelimit-reset-requests')).toBe('1m0s');
    expect((await limited('/v1/responses', 'b')).status).toBe(200);
    clock.advance(29_999);
    expect((await limited('/v1/responses')).status).toBe(429);
    clock.advance(1);
    expect((await limited('/v1/responses')).status).toBe(200);
  });

  it('count the tokens of prompt and answer', async () => {
    const { headers } = await limited('/v1/chat/completions');
    expect(headers.get('x-ratelimit-limit-tokens')).toBe('100');
    expect(headers.get('x-ratelimit-remaining-tokens')).toBe('65');
    expect(headers.get('x-ratelimit-reset-tokens')).toBe('21s');
    provider.next({ input: 60, output: 6 });
    const refused = await limited('/v1/chat/completions');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after-ms')).toBe('600');
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('1');
  });

  it("are stated in Anthropic's fields to its callers", async () => {
    const { headers } = await limited('/v1/messages');
    expect(headers.get('anthropic-ratelimit-requests-remaining')).toBe('1');
    expect(headers.get('anthropic-ratelimit-tokens-limit')).toBe('100');
    expect(Date.parse(headers.get('anthropic-ratelimit-tokens-reset') as string) - clock.now()).toBe(21_000);
  });
});

describe('what it gets', () => {
  it('is recorded, in order', async () => {
    await post('/v1/chat/completions', CHAT, { headers: { authorization: 'Bearer k' } });
    await post('/v1/messages', { ...CHAT, stream: true });
    expect(provider.calls).toMatchObject([
      {
        path: '/v1/chat/completions',
        format: 'openai-chat',
        body: CHAT,
        stream: false,
        status: 200,
        atMs: clock.now(),
      },
      { format: 'anthropic-messages', stream: true },
    ]);
    expect(provider.calls[0]?.headers.authorization).toBe('Bearer k');
    expect(provider.calls[0]?.text).toBe(JSON.stringify(CHAT));
  });

  it('is refused if it is no call', async () => {
    expect((await post('/v1/models', CHAT)).status).toBe(404);
    expect((await fetch(`${provider.url}/v1/messages`)).status).toBe(404);
    expect((await post('/v1/messages', 'text')).status).toBe(400);
    // Neither ends the process.
    for (const path of ['/v1/messages/batches', '//'])
      expect((await post(path, undefined, { body: '{' })).status).toBe(400);
    expect(provider.calls).toEqual([]);
  });
});

describe('wrong options', () => {
  it.each([
    [{ rpm: 0 }, 'rpm must be a whole number of at least 1, got 0 (SLUICE_OPTION)'],
    [{ answer: { dropAfter: -1 } }, 'answer.dropAfter must be a whole number of at least 0, got -1 (SLUICE_OPTION)'],
    [{ answer: { chunks: [1] } }, 'answer.chunks must be a list of text, got an array (SLUICE_OPTION)'],
    [{ speed: 1 }, 'speed is not an option: the options are answer, rpm, tpm, clock, got 1 (SLUICE_OPTION)'],
  ])('%j are refused', async (options, message) => {
    await expect(createFakeProvider(options as object)).rejects.toThrow(message);
  });

  it('that a function of the caller returns give the status 500 and say why', async () => {
    await provider.close();
    provider = await createFakeProvider({ answer: () => ({ output: 1.5 }) });
    const response = await post('/v1/messages', CHAT);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('answer().output must be a whole number of at least 0, got 1.5');
  });

  it('are refused for single answers, too', () => {
    expect(() => provider.next({ refuse: { status: 200 } })).toThrow(
      'answers[0].refuse.status must be a whole number from 400 to 599, got 200 (SLUICE_OPTION)',
    );
  });
});
