import { describe, expect, it } from '@jest/globals';
import { type Format, LlmCallError, type ReadCallOptions, readCall } from '../../src/index.js';

const MESSAGES = [{ role: 'user', content: 'Say hello to the world.' }];
const CHAT = { model: 'gpt-5.6', messages: MESSAGES };

function errorOf(body: unknown, options?: ReadCallOptions): LlmCallError {
  try {
    readCall(body, options);
  } catch (error) {
    if (error instanceof LlmCallError) return error;
    throw error;
  }
  throw new Error('the body was accepted');
}

describe('the format of a call', () => {
  it.each<[Format, object]>([
    ['openai-chat', CHAT],
    ['openai-chat', { ...CHAT, max_tokens: 5 }],
    ['openai-chat', { ...CHAT, model: 'anthropic/claude-opus-5', max_completion_tokens: 5 }],
    ['openai-chat', { ...CHAT, tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] }],
    ['anthropic-messages', { model: 'claude-opus-5', max_tokens: 5, messages: MESSAGES }],
    ['anthropic-messages', { model: 'm', max_tokens: 5, system: 'Be brief.', messages: MESSAGES }],
    ['anthropic-messages', { model: 'm', max_tokens: 5, messages: MESSAGES, tools: [{ name: 'f', input_schema: {} }] }],
    ['openai-responses', { model: 'gpt-5.6', input: 'Hello' }],
    ['openai-responses', { model: 'gpt-5.6', input: [{ role: 'user', content: 'Hello' }] }],
    ['openai-responses', { model: 'gpt-5.6', input: [] }],
    ['openai-responses', { model: 'gpt-5.6', input: ['Hello', { role: 'user', content: 'Hello' }] }],
    ['openai-responses', { model: 'gpt-5.6', input: 'Hello', dimensions: 3, encoding_format: 'float' }],
    ['openai-responses', { model: 'gpt-5.6', previous_response_id: 'resp_1' }],
    ['openai-responses', { model: 'gpt-5.6', prompt: { id: 'pmpt_1', variables: { city: 'Rome' } } }],
    ['openai-embeddings', { model: 'text-embedding-3-small', input: 'Hello' }],
    ['openai-embeddings', { model: 'bge-m3', input: ['Hello', 'world'] }],
    ['openai-embeddings', { model: 'bge-m3', input: [[1, 2], [3]] }],
    ['openai-embeddings', { model: 'bge-m3', input: [1, 2, 3] }],
    ['openai-completions', { model: 'gpt-3.5-turbo-instruct', prompt: 'Once' }],
    ['openai-completions', { model: 'gpt-3.5-turbo-instruct', prompt: ['Once', 'Twice'] }],
  ])('is recognized as %s from %j', (format, body) => {
    expect(readCall(body).format).toBe(format);
  });

  it('is what the route says, if it says one', () => {
    expect(readCall({ model: 'text-embedding-3-small', input: 'x' }, { format: 'openai-responses' })).toMatchObject({
      format: 'openai-responses',
    });
    expect(readCall(CHAT, { format: 'anthropic-messages' }).format).toBe('anthropic-messages');
  });
});

describe('the output of a call', () => {
  it.each<[number | undefined, object]>([
    [undefined, {}],
    [undefined, { max_tokens: null }],
    [0, { max_tokens: 0 }],
    [12, { max_tokens: 12 }],
    [2000, { max_tokens: 1, max_completion_tokens: 2000 }],
    [2000, { max_tokens: 1, max_output_tokens: 2000 }],
    [2000, { max_tokens: 2000, max_completion_tokens: 1 }],
    [2000, { max_tokens: 1, thinking: { type: 'enabled', budget_tokens: 2000 } }],
    [3000, { max_tokens: 3000, thinking: { type: 'enabled', budget_tokens: 2000 } }],
    [2000, { max_tokens: 1, reasoning: { max_tokens: 2000 } }],
    // A provider ignores what only other dialects have.
    [undefined, { max_output_tokens: 1 }],
    // A budget of thoughts says nothing about the answer after them.
    [undefined, { reasoning: { max_tokens: 2000 } }],
    [48, { max_tokens: 12, n: 4 }],
    [undefined, { n: 4 }],
    [60, { max_tokens: 12, n: 4, best_of: 5 }],
    [999_999_999, { max_tokens: 999_999_999 }],
    [Number.MAX_SAFE_INTEGER, { max_tokens: 999_999_999, n: 999_999_999 }],
  ])('is capped at %p by %j', (outputCap, fields) => {
    const call = readCall({ ...CHAT, ...fields });
    expect(call.outputCap).toBe(outputCap);
    expect('outputCap' in call).toBe(outputCap !== undefined);
  });

  it('has one choice for each prompt of a completion, times n', () => {
    const completion = (prompt: unknown) => readCall({ model: 'm', prompt, n: 2, max_tokens: 10 });
    expect(completion('a')).toMatchObject({ choices: 2, outputCap: 20 });
    expect(completion(['a', 'b', 'c'])).toMatchObject({ choices: 6, outputCap: 60 });
    expect(completion([[1, 2], [3]])).toMatchObject({ choices: 4, outputCap: 40 });
    // One prompt as tokens.
    expect(completion([1, 2, 3])).toMatchObject({ choices: 2, outputCap: 20 });
  });

  it('is nothing for embeddings', () => {
    expect(readCall({ model: 'text-embedding-3-small', input: 'x' })).toMatchObject({ outputCap: 0, choices: 1 });
  });
});

describe('a body that is no call', () => {
  it.each<[string, unknown]>([
    ['body', null],
    ['body', undefined],
    ['body', 'text'],
    ['body', 5],
    ['body', []],
    ['model', {}],
    ['body', { model: 'm' }],
    ['model', { messages: MESSAGES }],
    ['model', { model: '', messages: MESSAGES }],
    ['model', { model: 5, messages: MESSAGES }],
    ['model', { model: 'm'.repeat(257), messages: MESSAGES }],
    ['messages', { model: 'm', messages: 'Hello' }],
    ['messages', { model: 'm', messages: {} }],
    ['input', { model: 'm', input: 5 }],
    ['input', { model: 'm', input: {} }],
    ['stream', { ...CHAT, stream: 'true' }],
    ['max_tokens', { ...CHAT, max_tokens: -1 }],
    ['max_tokens', { ...CHAT, max_tokens: Number.NaN }],
    ['max_tokens', { ...CHAT, max_tokens: '12' }],
    ['max_tokens', JSON.parse('{"model":"m","messages":[],"max_tokens":1e999}')],
    ['max_tokens', { ...CHAT, max_tokens: 1.5 }],
    ['max_tokens', { ...CHAT, max_tokens: [] }],
    ['max_completion_tokens', { ...CHAT, max_completion_tokens: true }],
    ['max_output_tokens', { model: 'm', input: 'x', max_output_tokens: 2 ** 53 }],
    ['thinking.budget_tokens', { ...CHAT, thinking: { budget_tokens: '1' } }],
    ['reasoning.max_tokens', { ...CHAT, reasoning: { max_tokens: -1 } }],
    ['n', { ...CHAT, n: 0 }],
    ['n', { ...CHAT, n: '4' }],
    ['best_of', { ...CHAT, best_of: -2 }],
  ])('is refused with 400, naming %s: %j', (field, body) => {
    const error = errorOf(body);
    expect(error).toMatchObject({ code: 'SLUICE_LLM_CALL', field, path: field, status: 400, statusCode: 400 });
    expect(error.message.startsWith(`${field} must `)).toBe(true);
    expect(error.message.length).toBeLessThan(200);
  });

  it('is not kept with its error if it is large', () => {
    expect(errorOf([MESSAGES]).received).toBeUndefined();
    expect(errorOf({ model: 'x'.repeat(1000), messages: MESSAGES }).received).toBeUndefined();
    expect(errorOf({ ...CHAT, max_tokens: '12' }).received).toBe('12');
  });

  it('is refused where the route says another format', () => {
    expect(errorOf({ model: 'm', input: 'x' }, { format: 'openai-chat' }).field).toBe('messages');
    expect(errorOf(CHAT, { format: 'openai-embeddings' }).field).toBe('input');
    expect(errorOf(CHAT, { format: 'openai-completions' }).field).toBe('prompt');
  });
});

describe('options of readCall', () => {
  it('take the model from the address, where the body has none', () => {
    expect(readCall({ messages: MESSAGES }, { model: 'my-deployment' }).model).toBe('my-deployment');
  });

  it.each([
    [{ format: 'openai' }, 'format must be one of'],
    [{ count: 5 }, 'count must be a function'],
    [{ counter: () => 1 }, 'counter is not an option'],
  ])('are checked: %j', (options, message) => {
    expect(() => readCall(CHAT, options as never)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION' }));
    expect(() => readCall(CHAT, options as never)).toThrow(message);
  });
});

describe('hostile bodies', () => {
  const deep = (field: string, depth: number): unknown =>
    JSON.parse(`{"model":"m","messages":[],"${field}":${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}}`);

  it('are read down to a thousand levels', () => {
    const { input, inputCeiling } = readCall(deep('tools', 500));
    expect(input).toBeGreaterThan(500);
    expect(inputCeiling).toBeGreaterThanOrEqual(input);
  });

  // A relay could not write them as JSON again.
  it.each(['messages', 'metadata'])('are refused if %s are deeper', (field) => {
    for (const depth of [501, 100_000]) {
      expect(() => readCall(deep(field, depth))).toThrow(expect.objectContaining({ status: 400, field: 'body' }));
    }
  });

  it('are read in time that grows with their size, for 100,000 messages too', () => {
    const many = { model: 'm', messages: Array.from({ length: 100_000 }, () => ({ role: 'user', content: 'Hi' })) };
    const few = { model: 'm', messages: many.messages.slice(0, 100) };
    const [each = 0, some = 0] = [many, few].map((body) => readCall(body).input);
    expect(each / some).toBeGreaterThan(900);
    expect(each / some).toBeLessThan(1100);
  });

  it('are refused above a million values, also if an object contains itself', () => {
    const tokens = { model: 'text-embedding-3-small', input: Array.from({ length: 1_000_001 }, () => 1) };
    expect(errorOf(tokens)).toMatchObject({
      field: 'body',
      message: expect.stringContaining('at most 1000000 values'),
    });
    const loop: unknown[] = [];
    loop.push(loop, loop);
    expect(errorOf({ model: 'm', messages: loop }).field).toBe('body');
  });

  it('change no prototype, and read no inherited field', () => {
    const body = JSON.parse(
      '{"model":"m","messages":[{"role":"user","content":"x","__proto__":{"polluted":"yes"},"constructor":{"prototype":{"a":1}}}],"__proto__":{"max_tokens":5}}',
    );
    expect(readCall(body).outputCap).toBeUndefined();
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  it('call a getter of the prompt once, and pass its error on', () => {
    let calls = 0;
    const message = {
      role: 'user',
      get content() {
        calls++;
        return 'Hello';
      },
    };
    readCall({ model: 'm', messages: [message] });
    expect(calls).toBe(1);
    const broken = {
      model: 'm',
      get messages(): unknown {
        throw new Error('no');
      },
    };
    expect(() => readCall(broken)).toThrow('no');
  });
});
