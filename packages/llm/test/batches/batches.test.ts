import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import OpenAI6 from 'openai6';
import { readCall } from '../../src/index.js';
import {
  ANSWER,
  type Asked,
  type BatchGateway,
  batchGateway,
  bodyOf,
  lineOf,
  PRICES,
  postLines,
  postMessages,
} from './gateway.js';

const opened: BatchGateway[] = [];

async function start(...options: Parameters<typeof batchGateway>): Promise<BatchGateway> {
  const gateway = await batchGateway(...options);
  opened.push(gateway);
  return gateway;
}

afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(opened.splice(0).map((gateway) => gateway.close()));
});

const get = (gateway: BatchGateway, path: string): Promise<Response> => gateway.fetch(`http://gateway${path}`);

/** The most that a call of a batch can cost. */
const mostOf = (asked: Asked, model = 'm'): number =>
  PRICES.most(model, { input: readCall(bodyOf(asked)).inputCeiling, output: asked.max_tokens ?? 100, batch: true });

/** Makes a batch, and returns its id and the path by which its results are fetched when it has ended. */
const VENDORS: readonly (readonly [
  vendor: string,
  post: (gateway: BatchGateway, asked: readonly Asked[]) => Promise<Response>,
  state: (id: string) => string,
  results: (id: string, state: { output_file_id?: string }) => string,
])[] = [
  [
    'OpenAI',
    (gateway, asked) =>
      postLines(
        gateway,
        asked.map((one, i) => lineOf(one, i)),
      ),
    (id) => `/v1/batches/${id}`,
    (_, { output_file_id: file }) => `/v1/files/${file}/content`,
  ],
  ['Anthropic', postMessages, (id) => `/v1/messages/batches/${id}`, (id) => `/v1/messages/batches/${id}/results`],
];

describe.each(VENDORS)('A batch of %s', (_vendor, post, stateOf, resultsOf) => {
  const made = async (gateway: BatchGateway, asked: readonly Asked[]): Promise<string> => {
    const answer = await post(gateway, asked);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { id: string }).id;
  };
  const state = async (gateway: BatchGateway, id: string) =>
    (await (await get(gateway, stateOf(id))).json()) as { output_file_id?: string };
  const results = async (gateway: BatchGateway, id: string): Promise<Response> =>
    get(gateway, resultsOf(id, await state(gateway, id)));

  it('is charged the most that its calls can cost when it is made, and what the provider bills when its results are fetched', async () => {
    const gateway = await start();
    const asked = [{ max_tokens: 100 }, { max_tokens: 200 }, { max_tokens: 300 }, { max_tokens: 30 }];
    const most = asked.reduce((sum, one) => sum + mostOf(one), 0);
    const id = await made(gateway, asked);
    expect(await gateway.spent()).toEqual({ spent: most, held: 0 });
    await state(gateway, id);
    expect(await gateway.spent()).toEqual({ spent: most, held: 0 });
    // One is refused, one has expired, and one is cut by its cap.
    gateway.provider.next(ANSWER, { refuse: { status: 500 } }, { silent: true }, ANSWER);
    gateway.provider.endBatches();
    await state(gateway, id);
    expect(await gateway.spent()).toEqual({ spent: most, held: 0 });
    const text = await (await results(gateway, id)).text();
    expect(text).toContain('call-0');
    expect(gateway.billed()).toBe(207 + 157);
    expect(await gateway.spent()).toEqual({ spent: gateway.billed(), held: 0 });
  });

  it('does not keep a slot, and counts each of its calls', async () => {
    const gateway = await start({ plan: { parallel: 1, rpm: 3, tpm: 10_000 } });
    const id = await made(gateway, [{}, {}]);
    const limits = async () => (await gateway.llm.spend('ann')).limits.map(({ name, used }) => [name, used]);
    expect(await limits()).toEqual([
      ['rpm', 2],
      ['tpm', expect.any(Number)],
      ['parallel', 0],
    ]);
    expect((await post(gateway, [{}, {}])).status).toBe(429);
    gateway.provider.endBatches();
    await (await results(gateway, id)).text();
    expect(await limits()).toEqual([
      ['rpm', 2],
      ['tpm', 2 * (13 + 40)],
      ['parallel', 0],
    ]);
  });

  it('never passes the budget, however many are made at once', async () => {
    const budget = 10 * mostOf({}) + 5;
    const gateway = await start({ plan: { perDay: budget } });
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(gateway, [{}, {}, {}])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    gateway.provider.endBatches();
    expect(gateway.billed()).toBeLessThanOrEqual(budget);
    const refused = await post(
      gateway,
      Array.from({ length: 11 }, () => ({})),
    );
    expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('This call needs more') } });
  });

  it('has the usual rates where the price lists none of batches', async () => {
    const gateway = await start();
    const id = await made(gateway, [{ model: 'undiscounted' }]);
    expect((await gateway.spent()).spent).toBe(mostOf({}, 'undiscounted'));
    gateway.provider.endBatches();
    await (await results(gateway, id)).text();
    expect((await gateway.spent()).spent).toBe(13 + 400);
  });

  it('has the rates of a long prompt for its long calls alone', async () => {
    const gateway = await start();
    const id = await made(gateway, [{}, {}, {}]);
    gateway.provider.next({ input: 900, output: 10 }, { input: 1001, output: 10 }, { input: 900, output: 10 });
    gateway.provider.endBatches();
    await (await results(gateway, id)).text();
    expect((await gateway.spent()).spent).toBe(500 + (1001 + 75) + 500);
    expect(gateway.billed()).toBe(500 + (1001 + 75) + 500);
  });

  it('costs nothing if none of its calls was answered, as soon as that is known', async () => {
    const gateway = await start();
    const id = await made(gateway, [{}, {}]);
    gateway.provider.next({ refuse: { status: 500 } }, { refuse: { status: 500 } });
    gateway.provider.endBatches();
    await state(gateway, id);
    expect(await gateway.spent()).toEqual({ spent: 0, held: 0 });
  });

  it('stays charged as held if its results break off, and is settled by the next look at them', async () => {
    const gateway = await start();
    const id = await made(gateway, [{}, {}]);
    const before = await gateway.spent();
    const long = { ...ANSWER, chunks: ['x'.repeat(500_000)] };
    gateway.provider.next(long, long);
    gateway.provider.endBatches();
    const broken = (await results(gateway, id)).body?.getReader();
    await broken?.cancel();
    expect(await gateway.spent()).toEqual(before);
    await (await results(gateway, id)).text();
    expect((await gateway.spent()).spent).toBe(gateway.billed());
  });

  it.each([
    ['no usage', { ...ANSWER, usage: false }],
    ['a usage that is impossible', { ...ANSWER, input: 10_000_000_000 }],
  ])('is charged as held if a call states %s', async (_what, unknown) => {
    jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const gateway = await start();
    const id = await made(gateway, [{}, {}]);
    const before = await gateway.spent();
    gateway.provider.next(ANSWER, unknown);
    gateway.provider.endBatches();
    await (await results(gateway, id)).text();
    expect(await gateway.spent()).toEqual(before);
    await (await results(gateway, id)).text();
    expect(await gateway.spent()).toEqual(before);
  });

  it('is charged as held if nobody asks for it within maxBatchHold, and each question is progress', async () => {
    const gateway = await start({ plan: { perMonth: 1_000_000 }, maxBatchHold: '10h' });
    const id = await made(gateway, [{}]);
    const before = await gateway.spent();
    gateway.clock.advance('9h');
    await state(gateway, id);
    gateway.clock.advance('9h');
    await state(gateway, id);
    gateway.provider.endBatches();
    gateway.clock.advance('10h');
    await new Promise(setImmediate);
    await (await results(gateway, id)).text();
    expect(await gateway.spent()).toEqual(before);
  });

  it('gives its money back if the provider refuses it, and keeps it if nobody knows', async () => {
    const gateway = await start({ plan: { perDay: 1_000_000 } });
    gateway.refusing.status = 429;
    expect((await post(gateway, [{}, {}])).status).toBe(429);
    expect(await gateway.spent()).toEqual({ spent: 0, held: 0 });
    gateway.refusing.status = 200;
    expect(await (await post(gateway, [{}, {}])).json()).toEqual({});
    expect(await gateway.spent()).toEqual({ spent: 2 * mostOf({}), held: 0 });
  });
});

describe('The official packages', () => {
  it.each([
    ['openai 7', OpenAI],
    ['openai 6', OpenAI6 as unknown as typeof OpenAI],
  ])('of OpenAI make and read batches: %s', async (_, Client) => {
    const gateway = await start();
    const openai = new Client({ baseURL: 'http://gateway/v1', apiKey: 'any', maxRetries: 0, fetch: gateway.fetch });
    const calls = [0, 1].map((i) => JSON.stringify(lineOf({}, i))).join('\n');
    const file = await openai.files.create({ purpose: 'batch', file: await toFile(Buffer.from(calls), 'calls.jsonl') });
    const { id, status } = await openai.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect(status).toBe('in_progress');
    gateway.provider.endBatches();
    const ended = await openai.batches.retrieve(id);
    expect(ended.request_counts).toEqual({ total: 2, completed: 2, failed: 0 });
    const lines = (await (await openai.files.content(ended.output_file_id as string)).text()).trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(await gateway.spent()).toEqual({ spent: gateway.billed(), held: 0 });
  });

  it('of Anthropic makes and reads batches, whose results are fetched at the gateway', async () => {
    const gateway = await start();
    const anthropic = new Anthropic({ baseURL: 'http://gateway', apiKey: 'any', maxRetries: 0, fetch: gateway.fetch });
    const params = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] };
    const { id } = await anthropic.messages.batches.create({ requests: [{ custom_id: 'a', params }] });
    gateway.provider.endBatches();
    const seen: string[] = [];
    for await (const { custom_id, result } of await anthropic.messages.batches.results(id))
      seen.push(`${custom_id} ${result.type}`);
    expect(seen).toEqual(['a succeeded']);
    expect(await gateway.spent()).toEqual({ spent: gateway.billed(), held: 0 });
  });
});

describe('Refused with the field that is wrong is a batch', () => {
  it.each<[what: string, asked: readonly Asked[], field: string]>([
    ['with a call that is none', [{}, { messages: 5 }], 'requests[1].params.messages'],
    ['of two models', [{}, { model: 'undiscounted' }], 'requests[1].params.model'],
    ['of a model without a price', [{ model: 'gpt-9' }], 'requests[0].params.model'],
    ['that asks for a tier', [{ service_tier: 'flex' }], 'requests[0].params.service_tier'],
    [
      'that asks for what has no price',
      [{ tools: [{ type: 'web_search_20250305', max_uses: 1 }] }],
      'requests[0].params.tools[0].type',
    ],
  ])('of Anthropic %s', async (_what, asked, field) => {
    const gateway = await start();
    const answer = await postMessages(gateway, asked);
    expect(answer.status).toBe(400);
    const { type, error } = (await answer.json()) as { type: string; error: { message: string } };
    expect(type).toBe('error');
    expect(error.message).toMatch(new RegExp(`^${field.replace(/[[\]]/g, '\\$&')} `));
    expect(await gateway.spent()).toEqual({ spent: 0, held: 0 });
  });

  it.each<[what: string, lines: readonly unknown[], param: string, stated?: object]>([
    ['with a line that is no JSON', ['{"a"'], 'input_file_id: line 1'],
    ['with a line that states a name twice', ['', '{"custom_id":"a","custom_id":"b"}'], 'input_file_id: line 2'],
    ['with a line of another endpoint', [lineOf({}), lineOf({}, 1, '/v1/responses')], 'input_file_id: line 2, url'],
    [
      'of an endpoint that is no call',
      [lineOf({}, 0, '/v1/moderations')],
      'input_file_id: line 1, url',
      { endpoint: '/v1/moderations' },
    ],
    ['with a call that is none', [lineOf({ messages: 5 })], 'input_file_id: line 1, body.messages'],
    [
      'without a cap, of a model whose price has no maxOutput',
      [lineOf({ model: 'unknown', max_tokens: undefined as never })],
      'input_file_id: line 1, body.model',
    ],
    ['whose calls break a rule of the operator', [lineOf({ n: 3 })], 'input_file_id: line 1, body.n'],
    ['without a line', [''], 'input_file_id'],
    ['of a file that is not there', [], 'input_file_id', { input_file_id: 'file-99' }],
    ['of no file', [], 'input_file_id', { input_file_id: undefined }],
  ])('of OpenAI %s', async (_what, lines, param, stated = {}) => {
    const gateway = await start({ body: { n: { cap: 1 } } });
    const answer = await postLines(gateway, lines, stated);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
    expect(await gateway.spent()).toEqual({ spent: 0, held: 0 });
  });

  it('of a file that cannot be read at the moment, with 503', async () => {
    const gateway = await start({ batchFile: () => new Response('busy', { status: 503 }) });
    const answer = await postLines(gateway, [lineOf({})]);
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: 'service_unavailable' } }]);
    expect(await gateway.spent()).toEqual({ spent: 0, held: 0 });
  });

  it('of a file if nobody has said how it is read', async () => {
    const gateway = await start({ batchFile: undefined as never });
    expect(await (await postLines(gateway, [lineOf({})])).json()).toMatchObject({ error: { param: 'input_file_id' } });
  });
});

describe('The rules of the operator', () => {
  it('change the calls of a batch that has them in its body, and nothing else of its text', async () => {
    const gateway = await start({ body: { service_tier: { force: 'standard_only' }, max_tokens: { cap: 50 } } });
    const first =
      '{ "custom_id":"a","params":{"model":"m","messages":[{"role":"user","content":"1.0"}],"max_tokens":100,"big":12345678901234567890 } }';
    const second =
      '{"custom_id":"b", "params": {"model":"m","messages":[],"max_tokens":20,"service_tier":"standard_only"}}';
    const body = `{"requests": [${first} ,\n${second}], "x":1.0}`;
    await gateway.fetch('http://gateway/v1/messages/batches', { method: 'POST', body });
    expect(gateway.sent).toEqual([
      body
        .replace('"max_tokens":100', '"max_tokens":50')
        .replace('567890 }', '567890,"service_tier":"standard_only" }'),
    ]);
  });
});
