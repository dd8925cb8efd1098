import { describe, expect, it } from '@jest/globals';
import { aiCall } from '../../src/ai-sdk/ai-call.js';
import { cappedParams, ruledParams } from '../../src/ai-sdk/prompt-body.js';
import { readCall } from '../../src/index.js';

const MODEL = { provider: 'test', modelId: 'm' };
const user = (...content: readonly unknown[]) => [{ role: 'user', content }];

function read(prompt: readonly unknown[], params: object = {}) {
  return readCall(aiCall(MODEL, { prompt, ...params }, { isStream: true, context: undefined }).body);
}

const MEGABYTE = new Uint8Array(1_000_000);

describe('a call of the AI SDK', () => {
  it('has its model, its cap and its text', () => {
    const prompt = [
      { role: 'system', content: 'word '.repeat(100) },
      ...user({ type: 'text', text: 'word '.repeat(100) }),
    ];
    const call = read(prompt, { maxOutputTokens: 50 });
    expect(call).toMatchObject({ model: 'm', format: 'openai-chat', stream: true, choices: 1, outputCap: 50 });
    expect(call.input).toBeGreaterThan(200);
    expect(call.input).toBeLessThan(220);
    expect(read(prompt).outputCap).toBeUndefined();
  });

  it('asks for what it holds, less the budget of thoughts that the provider of Anthropic adds', () => {
    const providerOptions = { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } };
    const capOf = (params: object, cap: number) => cappedParams({ prompt: [], ...params }, cap).maxOutputTokens;
    expect(capOf({}, 5000)).toBe(5000);
    expect(capOf({ maxOutputTokens: 6000 }, 5000)).toBe(5000);
    expect(capOf({ providerOptions }, 5000)).toBe(3000);
    expect(capOf({ maxOutputTokens: 50, providerOptions }, 2050)).toBe(50);
    expect(() => capOf({ providerOptions }, 2000)).toThrow(/^maxOutputTokens must be stated: beside its budget/);
  });

  it('has the budget of thoughts beside the cap, as the provider of Anthropic adds it', () => {
    const providerOptions = { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } };
    expect(read(user(), { maxOutputTokens: 50, providerOptions }).outputCap).toBe(2050);
    expect(read(user(), { providerOptions }).outputCap).toBeUndefined();
  });

  it('has its tools, the arguments of calls and their results', () => {
    const long = 'word '.repeat(100);
    const least = read(user()).input + 100;
    expect(
      read(user(), { tools: [{ type: 'function', name: 'f', description: long, inputSchema: {} }] }).input,
    ).toBeGreaterThan(least);
    expect(
      read(user(), { tools: [{ type: 'function', name: 'f', inputSchema: { properties: { [long]: {} } } }] }).input,
    ).toBeGreaterThan(least);
    expect(read(user({ type: 'tool-call', toolCallId: '1', toolName: 'f', input: { a: long } })).input).toBeGreaterThan(
      least,
    );
    for (const output of [
      { type: 'text', value: long },
      { type: 'json', value: { a: long } },
      { type: 'content', value: [{ type: 'text', text: long }] },
      { type: 'execution-denied', reason: long },
    ]) {
      expect(read(user({ type: 'tool-result', toolCallId: '1', toolName: 'f', output })).input).toBeGreaterThan(least);
    }
    expect(read(user({ type: 'text', text: 'Hi', providerOptions: { openai: { note: long } } })).input).toBeLessThan(
      least,
    );
  });

  it.each<[string, object]>([
    ['bytes, in version 6', { data: MEGABYTE, mediaType: 'image/png' }],
    ['base64, in version 6', { data: 'A'.repeat(1_400_000), mediaType: 'image/*' }],
    ['an address, in version 6', { data: new URL('https://example.com/a.png'), mediaType: 'image/png' }],
    ['bytes, in version 7', { data: { type: 'data', data: MEGABYTE }, mediaType: 'image' }],
    [
      'an address, in version 7',
      { data: { type: 'url', url: new URL('https://example.com/a.png') }, mediaType: 'image/png' },
    ],
  ])('counts an image as one image: %s', (_, file) => {
    const { input, inputCeiling } = read(user({ type: 'file', ...file }));
    expect(Math.abs(input - 1600)).toBeLessThan(30);
    expect(inputCeiling).toBeLessThan(17_000);
    const result = {
      type: 'tool-result',
      toolCallId: '1',
      toolName: 'f',
      output: { type: 'content', value: [{ type: 'file', ...file }] },
    };
    expect(Math.abs(read(user(result)).input - 1600)).toBeLessThan(40);
  });

  it('counts other files by their size, and those in text as text', () => {
    expect(read(user({ type: 'file', data: MEGABYTE, mediaType: 'application/pdf' })).input).toBeGreaterThan(60_000);
    expect(read(user({ type: 'file', data: MEGABYTE, mediaType: 'audio/mp3' })).input).toBeGreaterThanOrEqual(1000);
    const text = { type: 'file', data: { type: 'text', text: 'word '.repeat(1000) }, mediaType: 'text/plain' };
    expect(Math.abs(read(user(text)).input - 1000)).toBeLessThan(30);
  });
});

describe('What costs more than tokens in the options of a call', () => {
  it('stands in the body that the limits read: the tier, and tools of the provider', () => {
    const tools = [
      { type: 'function', name: 'f', inputSchema: {} },
      { type: 'provider', id: 'anthropic.web_search_20250305', name: 'web_search', args: { maxUses: 3 } },
      { type: 'provider-defined', id: 'openai.file_search', name: 'file_search', args: {} },
    ];
    const call = read(user({ type: 'text', text: 'Hi' }), {
      tools,
      providerOptions: { openai: { serviceTier: 'flex' } },
    });
    expect(call).toMatchObject({ tier: 'flex', toolUses: { web_search: 3, file_search: Number.POSITIVE_INFINITY } });
  });

  it('is sent as the rules of the operator say', () => {
    const params = { prompt: [], providerOptions: { openai: { serviceTier: 'priority', user: 'ann' }, other: {} } };
    expect(ruledParams(params, [{ path: ['service_tier'], value: 'default' }])).toEqual({
      prompt: [],
      providerOptions: { openai: { serviceTier: 'default', user: 'ann' }, other: {} },
    });
    expect(ruledParams(params, [{ path: ['max_completion_tokens'], value: 9 }])).toEqual({
      ...params,
      maxOutputTokens: 9,
    });
    expect(ruledParams(params, [])).toBe(params);
    expect(() => ruledParams(params, [{ path: ['n'], value: 1 }])).toThrow(
      expect.objectContaining({ code: 'SLUICE_LLM_CALL', field: 'n' }),
    );
  });
});
