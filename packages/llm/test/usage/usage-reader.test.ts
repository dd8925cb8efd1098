import { describe, expect, it } from '@jest/globals';
import { createUsageReader, type UsageReader } from '../../src/index.js';

function read(...events: unknown[]): UsageReader {
  const reader = createUsageReader();
  for (const event of events) reader.read(event);
  return reader;
}

const piece = (content: string, finish_reason: string | null = null, usage: unknown = null) => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content }, finish_reason }],
  usage,
});

describe("the reader of OpenAI's chat", () => {
  const total = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

  it('is complete with the piece that has the usage and no choices', () => {
    const reader = read(piece('Hello'), piece(' world', 'stop'));
    expect(reader.usage).toMatchObject({ complete: false, input: 0, output: 2 });
    reader.read({ choices: [], usage: total });
    reader.read('[DONE]');
    expect(reader.usage).toEqual({ input: 12, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0, complete: true });
  });

  it('is complete with the last piece of providers that put the usage there', () => {
    expect(read(piece('Hello'), piece('', 'stop', total)).usage).toMatchObject({ complete: true, output: 5 });
  });

  it('takes a usage in each piece for a sum so far', () => {
    const reader = read(piece('Hello', null, { prompt_tokens: 12, completion_tokens: 1 }));
    expect(reader.usage).toMatchObject({ complete: false, input: 12, output: 1 });
    reader.read(piece(' all of you', null, { prompt_tokens: 12, completion_tokens: 4 }));
    expect(reader.usage).toMatchObject({ complete: false, output: 4 });
    reader.read(piece('', 'stop', total));
    expect(reader.usage).toMatchObject({ complete: true, output: 5 });
  });

  it('takes the last of several final usages', () => {
    expect(
      read(piece('', 'stop', { ...total, completion_tokens: 1 }), { choices: [], usage: total }).usage.output,
    ).toBe(5);
  });

  it('counts text, thoughts, refusals and the arguments of tools', () => {
    const deltas = [
      { content: 'one' },
      { refusal: 'two' },
      { reasoning_content: 'three' },
      { reasoning: 'four' },
      { reasoning: 'five', reasoning_content: 'five' },
      { tool_calls: [{ index: 0, function: { name: 'six', arguments: 'seven' } }] },
      { function_call: { arguments: 'eight' } },
      { role: 'assistant', content: '' },
      {},
    ];
    const reader = read(...deltas.map((delta) => ({ choices: [{ delta, finish_reason: null }] })));
    expect(reader.usage.output).toBe(8);
    expect(read({ choices: [{ text: 'one' }, { text: 'two' }] }).usage.output).toBe(2);
  });
});

describe("the reader of OpenAI's responses", () => {
  const ended = (status: string, usage: unknown) => ({ type: `response.${status}`, response: { status, usage } });

  it.each(['completed', 'incomplete', 'failed', 'cancelled'])('is complete when the response is %s', (status) => {
    const reader = read(
      { type: 'response.created', response: { status: 'in_progress', usage: null } },
      { type: 'response.output_text.delta', delta: 'Hello' },
      { type: 'response.function_call_arguments.delta', delta: '{"a"' },
      { type: 'response.audio.delta', delta: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' },
    );
    expect(reader.usage).toMatchObject({ complete: false, output: 4 });
    reader.read(ended(status, { input_tokens: 1500, output_tokens: 64, total_tokens: 1564 }));
    expect(reader.usage).toMatchObject({ complete: true, input: 1500, output: 64 });
  });

  it('is not complete without a usage', () => {
    expect(read(ended('failed', null)).usage.complete).toBe(false);
  });
});

describe("the reader of Anthropic's messages", () => {
  const start = {
    type: 'message_start',
    message: {
      usage: {
        input_tokens: 25,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 8,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 8 },
        output_tokens: 1,
      },
    },
  };
  const piece = (delta: object) => ({ type: 'content_block_delta', index: 0, delta });

  it('does not take the first event for the end', () => {
    expect(read(start).usage).toMatchObject({ complete: false, input: 25, cacheRead: 100, cacheWrite1h: 8, output: 1 });
  });

  it('counts pieces where the stream breaks', () => {
    const reader = read(
      start,
      piece({ type: 'text_delta', text: 'one' }),
      piece({ type: 'thinking_delta', thinking: 'two' }),
      piece({ type: 'input_json_delta', partial_json: 'three' }),
      piece({ type: 'signature_delta', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' }),
    );
    expect(reader.usage).toMatchObject({ complete: false, input: 25, cacheRead: 100, output: 3 });
  });

  it('is complete with message_delta, whose numbers are totals', () => {
    const reader = read(
      start,
      { type: 'ping' },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 15, input_tokens: null } },
      { type: 'message_stop' },
    );
    expect(reader.usage).toEqual({
      input: 25,
      cacheRead: 100,
      cacheWrite: 8,
      cacheWrite1h: 8,
      output: 15,
      reasoning: 0,
      complete: true,
    });
    reader.read({ type: 'message_delta', usage: { output_tokens: 20, input_tokens: 30 } });
    expect(reader.usage).toMatchObject({ complete: true, input: 30, output: 20 });
  });
});

describe('the reader of the AI SDK', () => {
  it('is complete with a result, which has a response beside its usage', () => {
    const usage = { inputTokens: { total: 3 }, outputTokens: { total: 5 } };
    expect(read({ usage, response: { id: '1', modelId: 'm' } }).usage).toMatchObject({ complete: true, output: 5 });
  });

  it('is complete with the part "finish"', () => {
    const reader = read(
      { type: 'stream-start', warnings: [] },
      { type: 'text-delta', id: '0', delta: 'Hello' },
      { type: 'reasoning-delta', id: '1', delta: 'Hm' },
    );
    expect(reader.usage).toMatchObject({ complete: false, output: 2 });
    reader.read({ type: 'finish', usage: { inputTokens: { total: 3 }, outputTokens: { total: 5 } } });
    expect(reader.usage).toMatchObject({ complete: true, input: 3, output: 5 });
  });
});

describe('a reader', () => {
  it('keeps the first error that an event states', () => {
    const overloaded = { type: 'overloaded_error', message: 'Overloaded' };
    expect(read({ type: 'error', error: overloaded }, { type: 'error', error: {} }).error).toBe(overloaded);
    expect(read({ error: overloaded }).error).toBe(overloaded);
    expect(read({ type: 'response.failed', response: { status: 'failed', error: overloaded } }).error).toBe(overloaded);
    const flat = { type: 'error', code: 'server_error', message: 'Oh' };
    expect(read(flat).error).toBe(flat);
    expect(read(piece('Hello')).error).toBeUndefined();
  });

  it('is never complete by a usage that makes no sense, and keeps what it counted', () => {
    const reader = read(piece('Hello'), { choices: [], usage: { prompt_tokens: 1, completion_tokens: -5 } });
    expect(reader.usage).toMatchObject({ complete: false, output: 1 });
    expect(reader.invalid).toEqual({ field: 'usage.completion_tokens', received: -5 });
  });

  it.each<[field: string, stated: object, received: unknown]>([
    ['server_tool_use.web_search_requests', { server_tool_use: { web_search_requests: '3' } }, '3'],
    ['server_tool_use.web_search_requests', { server_tool_use: { web_search_requests: -1 } }, -1],
    ['server_tool_use.web_search_requests', { server_tool_use: { web_search_requests: 1e10 } }, 1e10],
    ['completion_tokens_details.audio_tokens', { completion_tokens_details: { audio_tokens: 0.5 } }, 0.5],
    ['prompt_tokens_details.image_tokens', { prompt_tokens_details: { image_tokens: 1e308 } }, 1e308],
  ])('is never complete by %s that makes no sense: %j', (field, stated, received) => {
    const usage = { prompt_tokens: 1, completion_tokens: 5, ...stated };
    const reader = read({ choices: [], usage });
    expect(reader.usage.complete).toBe(false);
    expect(reader.invalid).toEqual({ field: `usage.${field}`, received });
  });

  it('never reports less than the pieces of text add up to before it is complete', () => {
    const reader = createUsageReader();
    for (let i = 0; i < 100; i++) reader.read(piece(' word'));
    reader.read(piece('', null, { prompt_tokens: 7, completion_tokens: 1 }));
    expect(reader.usage).toMatchObject({ complete: false, input: 7, output: 100 });
  });

  it.each([
    null,
    undefined,
    '[DONE]',
    5,
    [],
    [1],
    true,
    { choices: [null, 5, 'x'] },
    { choices: 'x' },
    { delta: null },
  ])('ignores %p', (event) => {
    expect(read(event).usage).toEqual({
      input: 0,
      cacheRead: 0,
      cacheWrite: 0,
      output: 0,
      reasoning: 0,
      complete: false,
    });
  });
});
