import { describe, expect, it } from '@jest/globals';
import {
  createUsageReader,
  type LlmOptions,
  type Price,
  priceTable,
  readCall,
  readUsage,
  type Usage,
} from '../../src/index.js';
import { costsOf, type Job, limited, usedOf } from '../limited.js';

const PRICE: Price = {
  input: '1',
  output: '10',
  maxOutput: 1000,
  tiers: {
    flex: { input: '0.5', output: '5' },
    priority: { input: '2', output: '20' },
    batch: { input: '9', output: '90' },
  },
  tools: { web_search: '0.01' },
};
const prices = priceTable({ 'gpt-5.6': PRICE });
const NONE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, complete: true };
const HELLO = { messages: [{ role: 'user', content: 'hello' }] };

describe('A price', () => {
  it.each<[usage: Partial<Usage>, microDollars: number]>([
    [{ input: 100, output: 10 }, 200],
    [{ input: 100, output: 10, tier: 'default' }, 200],
    [{ input: 100, output: 10, tier: 'flex' }, 100],
    [{ input: 100, output: 10, tier: 'priority' }, 400],
    [{ input: 100, output: 10, tier: 'a tier of tomorrow' }, 200],
    [{ input: 100, output: 10, toolUses: { web_search: 3 } }, 30_200],
    [{ input: 100, output: 10, toolUses: { web_fetch: 3 } }, 200],
    [{ input: 100, output: 10, statedMicroDollars: 150 }, 200],
    [{ input: 100, output: 10, statedMicroDollars: 250 }, 250],
  ])('makes %j cost %d micro-dollars', (usage, microDollars) => {
    expect(prices.cost('gpt-5.6', { ...NONE, ...usage })).toBe(microDollars);
  });

  it('has rates of its own for sound and images, and takes a stated cost as it is if it says so', () => {
    const table = priceTable({
      sound: { input: '1', output: '10', audioInput: '40', audioOutput: '80', imageInput: '5', imageOutput: '30' },
      stated: { ...PRICE, cost: 'stated' },
    });
    const usage = { ...NONE, input: 100, output: 50, audioInput: 10, imageInput: 20, audioOutput: 5, imageOutput: 6 };
    expect(table.cost('sound', usage)).toBe(70 + 10 * 40 + 20 * 5 + 39 * 10 + 5 * 80 + 6 * 30);
    expect(table.cost('stated', { ...usage, statedMicroDollars: 7 })).toBe(7);
    expect(table.cost('stated', { ...NONE, input: 100 })).toBe(100);
    expect(table.most('sound', { input: 100, output: 50 })).toBe(100 * 40 + 500);
    expect(table.most('sound', { input: 100, output: 50, media: true })).toBe(100 * 40 + 50 * 80);
  });

  it.each<[price: object, path: string]>([
    [{ ...PRICE, tiers: [] }, 'prices["m"].tiers'],
    [{ ...PRICE, tiers: { flex: { input: '1' } } }, 'prices["m"].tiers["flex"].output'],
    [{ ...PRICE, tiers: { flex: { ...PRICE } } }, 'prices["m"].tiers["flex"].maxOutput'],
    [{ ...PRICE, tools: { web_search: 0.1 } }, 'prices["m"].tools["web_search"]'],
    [{ ...PRICE, cost: 'theirs' }, 'prices["m"].cost'],
    [{ ...PRICE, audioInput: 'x' }, 'prices["m"].audioInput'],
  ])('is refused: %j', (price, path) => {
    expect(() => priceTable({ m: price as Price })).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
  });
});

describe('A usage states', () => {
  const chat = { prompt_tokens: 100, completion_tokens: 10 };
  it.each<[what: string, answer: object, expected: Partial<Usage>]>([
    ['the tier of a chat', { choices: [], service_tier: 'priority', usage: chat }, { tier: 'priority' }],
    [
      'the tier of messages',
      { usage: { input_tokens: 1, output_tokens: 1, service_tier: 'batch' } },
      { tier: 'batch' },
    ],
    [
      'the tier of Gemini',
      { usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, serviceTier: 'PRIORITY' } },
      { tier: 'priority' },
    ],
    [
      'sound and images',
      {
        choices: [],
        usage: {
          ...chat,
          prompt_tokens_details: { audio_tokens: 40, image_tokens: 30, cached_tokens: 50 },
          completion_tokens_details: { audio_tokens: 4 },
        },
      },
      // Of 100 tokens 50 were cached, so there is no room for more.
      { input: 50, audioInput: 40, imageInput: 10, audioOutput: 4 },
    ],
    [
      'the searches of messages',
      {
        usage: {
          input_tokens: 1,
          output_tokens: 1,
          server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
        },
      },
      { toolUses: { web_search: 2 } },
    ],
    [
      'the searches of a response',
      {
        object: 'response',
        status: 'completed',
        output: [
          { type: 'web_search_call' },
          { type: 'function_call' },
          { type: 'message' },
          { type: 'web_search_call' },
        ],
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      },
      { toolUses: { web_search: 2 } },
    ],
    ['a cost, rounded up', { choices: [], usage: { ...chat, cost: 0.0001411 } }, { statedMicroDollars: 142 }],
    [
      'a cost that is a whole number of micro-dollars',
      { choices: [], usage: { ...chat, cost: 0.000141 } },
      { statedMicroDollars: 141 },
    ],
    ['a tiny cost', { choices: [], usage: { ...chat, cost: 1e-9 } }, { statedMicroDollars: 1 }],
    [
      'all iterations of messages with a compaction',
      {
        usage: {
          input_tokens: 23_000,
          output_tokens: 1000,
          cache_read_input_tokens: 5,
          iterations: [
            { type: 'compaction', input_tokens: 180_000, output_tokens: 3500 },
            { type: 'message', input_tokens: 23_000, output_tokens: 1000, cache_read_input_tokens: 5 },
          ],
        },
      },
      { input: 203_000, output: 4500, cacheRead: 5 },
    ],
  ])('%s', (_what, answer, expected) => {
    expect(readUsage(answer)).toMatchObject(expected);
  });

  it('no tier before it is decided', () => {
    const reader = createUsageReader('openai-responses');
    reader.read({ type: 'response.created', response: { status: 'in_progress', service_tier: 'auto' } });
    expect(reader.usage.tier).toBeUndefined();
  });

  it('the searches of a stream, item by item', () => {
    const reader = createUsageReader('openai-responses');
    const item = (type: string) => reader.read({ type: 'response.output_item.done', item: { type } });
    for (const type of ['web_search_call', 'message', 'web_search_call']) item(type);
    expect(reader.usage.toolUses).toEqual({ web_search: 2 });
    reader.read({
      type: 'response.completed',
      response: {
        status: 'completed',
        output: [{ type: 'web_search_call' }],
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
        service_tier: 'flex',
      },
    });
    expect(reader.usage).toMatchObject({ toolUses: { web_search: 1 }, tier: 'flex' });
  });

  it('no cost that is none', () => {
    for (const cost of [-1, '0.1', Number.NaN, 1e9, { total: 1 }])
      expect(readUsage({ choices: [], usage: { ...chat, cost } })?.statedMicroDollars).toBeUndefined();
  });
});

describe('A call that asks for more than tokens', () => {
  async function charged(body: object, usage: Partial<Usage>, options: Partial<LlmOptions<[Job]>> = {}) {
    const setup = limited({ plan: { perDay: 1e9 }, prices, hold: {}, read: { unseen: 100 }, ...options });
    const reservation = await setup.reserve({ max_tokens: 100, ...body });
    const { perDay: held } = costsOf(reservation);
    const call = readCall({ model: 'gpt-5.6', ...HELLO, max_tokens: 100, ...body });
    await setup.llm.meter(reservation, call).settle({ ...NONE, ...usage });
    return { held, used: usedOf(await setup.limiter.peek(setup.job({}))).perDay, call };
  }

  it.each<[body: object, dearest: number]>([
    [{ service_tier: 'default' }, 1],
    [{ service_tier: 'flex' }, 1],
    [{ service_tier: 'priority' }, 2],
    // Nobody knows which of them a server reads.
    [{ service_tier: 'default', serviceTier: { type: 'priority' } }, 2],
    // Without a tier the project decides.
    [{ service_tier: 'auto' }, 2],
    [{}, 2],
  ])('holds the dearest tier that may serve %j', async (body, dearest) => {
    const { held, call } = await charged(body, {});
    expect(held).toBe(dearest * (call.inputCeiling + 1000));
  });

  it('is charged by the tier that the answer states, and the dearest if it states none', async () => {
    const usage = { input: 10, output: 10 };
    expect((await charged({}, { ...usage, tier: 'flex' })).used).toBe(55);
    expect((await charged({}, usage)).used).toBe(220);
    expect((await charged({ service_tier: 'default' }, usage)).used).toBe(110);
  });

  it('holds each use of a tool, and what the model reads again after it', async () => {
    const { held, used, call } = await charged(
      { tools: [{ type: 'web_search' }], max_tool_calls: 2, service_tier: 'default' },
      { input: 10, output: 10, toolUses: { web_search: 1 } },
    );
    const input = call.inputCeiling + 2 * (call.inputCeiling + 100 + 3 * 100);
    expect(held).toBe(input + 1000 + 20_000);
    expect(used).toBe(110 + 10_000);
  });

  it('is charged the most uses if the answer does not say how often a tool was used', async () => {
    const tools = { tools: [{ type: 'web_search' }], max_tool_calls: 2, service_tier: 'default' };
    expect((await charged(tools, { input: 10, output: 10 })).used).toBe(110 + 20_000);
  });

  it('is charged what it has used, however often it says that tools may be used', async () => {
    const tool = { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: Number.MAX_SAFE_INTEGER };
    const { llm, limiter, job, reserve } = limited({ plan: { tpm: 1e9 }, prices });
    const body = { max_tokens: 100, tools: [tool, tool] };
    const reservation = await reserve(body);
    await llm
      .meter(reservation, readCall({ model: 'gpt-5.6', ...HELLO, ...body }))
      .settle({ ...NONE, input: 7, output: 9 });
    expect(usedOf(await limiter.peek(job()))).toEqual({ tpm: 16 });
  });

  it('holds the uses of a tool that stands in it twice', () => {
    const tool = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 };
    const body = { model: 'gpt-5.6', ...HELLO, tools: [tool, { ...tool, max_uses: 3 }], web_search_options: {} };
    expect(readCall(body).toolUses).toEqual({ web_search: 6 });
  });

  it.each<[body: object, field: string]>([
    [{ tools: [{ type: 'web_search' }] }, 'max_tool_calls'],
    [{ tools: [{ type: 'mcp', server_label: 'a' }] }, 'max_tool_calls'],
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools[0].max_uses'],
    [{ tools: [{ type: 'file_search' }], max_tool_calls: 1 }, 'tools[0].type'],
    [{ service_tier: 'scale' }, 'service_tier'],
  ])('is refused if nobody says what it costs at most: %j', async (body, field) => {
    await expect(charged(body, {})).rejects.toMatchObject({ code: 'SLUICE_LLM_CALL', field });
  });

  it('is sent with the bound of the operator', async () => {
    const body = { 'tools[web_search].max_uses': { cap: 2 } } as const;
    const { held, call } = await charged(
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }], service_tier: 'default' },
      {},
      { body },
    );
    expect(held).toBeGreaterThan(20_000 + call.inputCeiling);
  });
});
