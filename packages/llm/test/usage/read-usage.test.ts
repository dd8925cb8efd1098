import { describe, expect, it } from '@jest/globals';
import { createUsageReader, type Format, readUsage, type Usage } from '../../src/index.js';

const usage = (tokens: Partial<Usage>): Usage => ({
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
  complete: true,
  ...tokens,
});

const chat = (usage: unknown) => ({
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage,
});

describe('readUsage', () => {
  it.each<[string, unknown, Partial<Usage>]>([
    [
      'OpenAI chat',
      chat({
        prompt_tokens: 125,
        completion_tokens: 12,
        total_tokens: 137,
        prompt_tokens_details: { cached_tokens: 100, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 7 },
      }),
      { input: 25, cacheRead: 100, output: 12, reasoning: 7 },
    ],
    [
      'OpenAI chat with writes',
      chat({
        prompt_tokens: 125,
        completion_tokens: 12,
        prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 20 },
      }),
      { input: 5, cacheRead: 100, cacheWrite: 20, output: 12 },
    ],
    [
      'OpenAI chat with more writes than the prompt has left',
      chat({
        prompt_tokens: 125,
        completion_tokens: 12,
        prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 64 },
      }),
      { input: 0, cacheRead: 100, cacheWrite: 25, output: 12 },
    ],
    [
      'OpenAI responses',
      {
        object: 'response',
        status: 'completed',
        usage: {
          input_tokens: 125,
          input_tokens_details: { cached_tokens: 100, cache_write_tokens: 0 },
          output_tokens: 300,
          output_tokens_details: { reasoning_tokens: 256 },
          total_tokens: 425,
        },
      },
      { input: 25, cacheRead: 100, output: 300, reasoning: 256 },
    ],
    [
      'OpenAI responses that ended too early',
      { object: 'response', status: 'incomplete', usage: { input_tokens: 4, output_tokens: 64, total_tokens: 68 } },
      { input: 4, output: 64 },
    ],
    [
      'OpenAI completions',
      {
        object: 'text_completion',
        choices: [{ text: 'Hi', finish_reason: 'length' }],
        usage: { prompt_tokens: 5, completion_tokens: 16, total_tokens: 21 },
      },
      { input: 5, output: 16 },
    ],
    [
      'OpenAI embeddings',
      { object: 'list', data: [], model: 'text-embedding-3-small', usage: { prompt_tokens: 8, total_tokens: 8 } },
      { input: 8 },
    ],
    [
      'Anthropic messages',
      {
        type: 'message',
        stop_reason: 'end_turn',
        usage: {
          input_tokens: 25,
          cache_creation_input_tokens: 30,
          cache_read_input_tokens: 100,
          cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
          output_tokens: 12,
          output_tokens_details: { thinking_tokens: 9 },
          service_tier: 'standard',
          server_tool_use: null,
        },
      },
      {
        ...{ input: 25, cacheRead: 100, cacheWrite: 30, cacheWrite1h: 20, output: 12, reasoning: 9 },
        ...{ tier: 'standard', toolUses: {} },
      },
    ],
    [
      'Anthropic messages without a cache',
      {
        type: 'message',
        usage: {
          input_tokens: 25,
          output_tokens: 12,
          cache_read_input_tokens: null,
          cache_creation_input_tokens: null,
          cache_creation: null,
        },
      },
      { input: 25, output: 12 },
    ],
    [
      'a model of the AI SDK 6 and 7',
      {
        content: [],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: {
          inputTokens: { total: 125, noCache: 15, cacheRead: 100, cacheWrite: 10 },
          outputTokens: { total: 12, text: 5, reasoning: 7 },
          raw: { cache_creation: { ephemeral_1h_input_tokens: 4 } },
        },
      },
      { input: 15, cacheRead: 100, cacheWrite: 10, cacheWrite1h: 4, output: 12, reasoning: 7 },
    ],
    [
      'a model of the AI SDK that states totals alone',
      {
        usage: {
          inputTokens: { total: 125, noCache: undefined, cacheRead: 100, cacheWrite: undefined },
          outputTokens: { total: 12, text: undefined, reasoning: undefined },
        },
      },
      { input: 25, cacheRead: 100, output: 12 },
    ],
    [
      'generateText of the AI SDK, all steps together',
      {
        usage: { inputTokens: 1, outputTokens: 1 },
        totalUsage: {
          inputTokens: 125,
          inputTokenDetails: { noCacheTokens: 25, cacheReadTokens: 100, cacheWriteTokens: 0 },
          outputTokens: 12,
          outputTokenDetails: { textTokens: 5, reasoningTokens: 7 },
          totalTokens: 137,
        },
      },
      { input: 25, cacheRead: 100, output: 12, reasoning: 7 },
    ],
    [
      'a provider that counts reasoning in the total alone',
      chat({
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 45,
        completion_tokens_details: { reasoning_tokens: 30 },
      }),
      { input: 10, output: 35, reasoning: 30 },
    ],
    [
      'a proxy that states both dialects',
      chat({
        prompt_tokens: 10,
        completion_tokens: 5,
        cache_read_input_tokens: 4,
        prompt_tokens_details: { cached_tokens: 4 },
      }),
      { input: 6, cacheRead: 4, output: 5 },
    ],
    [
      'a provider whose cache has a name of its own (DeepSeek)',
      chat({ prompt_tokens: 125, completion_tokens: 12, prompt_cache_hit_tokens: 100, prompt_cache_miss_tokens: 25 }),
      { input: 25, cacheRead: 100, output: 12 },
    ],
    [
      'a provider that states its cache beside the prompt (Moonshot)',
      chat({ prompt_tokens: 125, completion_tokens: 12, total_tokens: 137, cached_tokens: 100 }),
      { input: 25, cacheRead: 100, output: 12 },
    ],
    [
      "Bedrock's Converse, which counts its cache beside the prompt",
      {
        usage: {
          inputTokens: 25,
          outputTokens: 12,
          totalTokens: 37,
          cacheReadInputTokens: 100,
          cacheWriteInputTokens: 0,
        },
      },
      { input: 25, cacheRead: 100, output: 12 },
    ],
    [
      "Bedrock's Converse, with entries of its cache that stay for an hour",
      {
        usage: {
          inputTokens: 25,
          outputTokens: 12,
          totalTokens: 97,
          cacheWriteInputTokens: 60,
          cacheDetails: [
            { ttl: '1h', inputTokens: 40 },
            { ttl: '5m', inputTokens: 20 },
          ],
        },
      },
      { input: 25, cacheWrite: 60, cacheWrite1h: 40, output: 12 },
    ],
  ])('reads %s', (_, answer, expected) => {
    expect(readUsage(answer)).toEqual(usage(expected));
  });

  it('gives one meaning to one call of both providers', () => {
    const openai = { prompt_tokens: 125, completion_tokens: 12, prompt_tokens_details: { cached_tokens: 100 } };
    const anthropic = { input_tokens: 25, cache_read_input_tokens: 100, output_tokens: 12 };
    expect(readUsage({ usage: openai })).toEqual(readUsage({ usage: anthropic }));
  });

  it('tells responses from messages by the format if no field does', () => {
    const answer = { usage: { input_tokens: 125, output_tokens: 12, cache_read_input_tokens: 100 } };
    expect(readUsage(answer)).toEqual(usage({ input: 125, cacheRead: 100, output: 12 }));
    expect(readUsage(answer, 'openai-responses' satisfies Format)).toEqual(usage({ input: 125, output: 12 }));
  });

  it.each([
    ['no object', 'text'],
    ['null', null],
    ['no usage', { id: 'x' }],
    ['a usage of null', { usage: null }],
    ['an empty usage', { usage: {} }],
    ['a prompt without an output', chat({ prompt_tokens: 5 })],
    ['an answer in the background', { object: 'response', status: 'queued', usage: null }],
  ])('finds nothing in %s', (_, answer) => {
    expect(readUsage(answer)).toBeUndefined();
    expect(invalidOf(answer)).toBeUndefined();
  });

  it.each<[string, unknown, unknown]>([
    ['prompt_tokens', -1, chat({ prompt_tokens: -1, completion_tokens: 1 })],
    ['completion_tokens', '12', chat({ prompt_tokens: 1, completion_tokens: '12' })],
    ['completion_tokens', 1.5, chat({ prompt_tokens: 1, completion_tokens: 1.5 })],
    ['completion_tokens', 1e300, chat({ prompt_tokens: 1, completion_tokens: 1e300 })],
    ['completion_tokens', 1e10, chat({ prompt_tokens: 1, completion_tokens: 1e10 })],
    ['total_tokens', 1000, chat({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 1000 })],
    [
      'total_tokens',
      46,
      chat({
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 46,
        completion_tokens_details: { reasoning_tokens: 30 },
      }),
    ],
    [
      'cacheDetails.0.inputTokens',
      -1,
      {
        usage: {
          inputTokens: 1,
          outputTokens: 1,
          cacheWriteInputTokens: 9,
          cacheDetails: [{ ttl: '1h', inputTokens: -1 }],
        },
      },
    ],
    ['total_tokens', -5, chat({ prompt_tokens: 1, completion_tokens: 1, total_tokens: -5 })],
    ['prompt_tokens', 5, chat({ prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 6 } })],
    ['input_tokens', Number.NaN, { usage: { input_tokens: Number.NaN, output_tokens: 1 } }],
    ['output_tokens', {}, { usage: { input_tokens: 1, output_tokens: {} } }],
    ['cache_read_input_tokens', true, { usage: { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: true } }],
    ['outputTokens.total', '9', { usage: { inputTokens: { total: 1 }, outputTokens: { total: '9' } } }],
    ['inputTokens', -2, { usage: { inputTokens: -2, outputTokens: 1 } }],
  ])('takes no usage whose %s is %p', (field, received, answer) => {
    expect(readUsage(answer)).toBeUndefined();
    expect(invalidOf(answer)).toEqual({ field: `usage.${field}`, received });
  });

  it('reads no inherited field', () => {
    const answer = JSON.parse('{"usage":{"prompt_tokens":1,"completion_tokens":2,"__proto__":{"total_tokens":99}}}');
    expect(readUsage(answer)).toEqual(usage({ input: 1, output: 2 }));
  });
});

function invalidOf(answer: unknown): unknown {
  const reader = createUsageReader();
  reader.read(answer);
  return reader.invalid;
}
