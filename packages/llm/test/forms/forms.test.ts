import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { rateLimit } from '@sluice/hono';
import { until } from '@sluice/test-kit/until';
import { type Context, Hono } from 'hono';
import OpenAI, { toFile } from 'openai';
import OpenAI6 from 'openai6';
import { createLlm, type LlmOptions, type Price, priceTable } from '../../src/index.js';
import { createFakeProvider, type FakeAnswer } from '../../src/testing/index.js';

const PRICES: Readonly<Record<string, Price>> = {
  ears: { input: '2.5', audioInput: '6', output: '10', maxInput: 16_000, maxOutput: 2000 },
  brush: { input: '5', imageInput: '8', output: '10', imageOutput: '40', maxOutput: 1000 },
  'small-brush': { input: '1', imageInput: '1', output: '1', imageOutput: '4', maxOutput: 1000 },
  text: { input: '1', output: '1', maxOutput: 1000 },
  endless: { input: '1', audioInput: '6', output: '1' },
};

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const PATHS = ['/v1/audio/transcriptions', '/v1/images/edits'];

async function start(options: Partial<LlmOptions<[Context]>> = {}, relay: 'relay' | 'relayForm' = 'relayForm') {
  const answer: FakeAnswer = { input: 120, output: 40 };
  const provider = await createFakeProvider({ answer });
  const prices = priceTable(PRICES);
  const llm = createLlm<[Context]>({
    call: async (c) => new Uint8Array(await c.req.raw.clone().arrayBuffer()),
    plan: { perDay: 100_000_000 },
    prices,
    ...options,
  });
  const store = new MemoryStore();
  closing.push(() => provider.close());
  const app = new Hono();
  const policy = rateLimit({
    name: 'llm',
    store,
    keyGenerator: () => 'ann',
    ...llm.policy,
    ...llm.degrade(['small-brush']),
  });
  const relayed = (relay === 'relay' ? llm.relay : llm.relayForm) as typeof llm.relayForm;
  for (const path of PATHS)
    app.post(path, policy, (c) =>
      relayed(c.req.raw, (body) =>
        fetch(provider.url + path, {
          method: 'POST',
          headers: { 'content-type': c.req.header('content-type') ?? '' },
          body,
        }),
      ),
    );
  app.onError((error, c) => c.json({ code: (error as { code?: string }).code }, 500));
  const send: typeof fetch = async (input, init) => app.fetch(new Request(input, init));
  return {
    llm,
    provider,
    fetch: send,
    client: (Client = OpenAI) =>
      new Client({ baseURL: 'http://gateway/v1', apiKey: 'any', maxRetries: 0, fetch: send }),
    async spent() {
      const { budgets } = await llm.spend('ann');
      return [budgets[0]?.spent, budgets[0]?.held];
    },
    billed: () => provider.calls.reduce((sum, { billed, body }) => sum + prices.cost(String(body.model), billed), 0),
  };
}

const sound = () => toFile(Buffer.alloc(300_000, 7), 'speech.mp3');
const picture = () => toFile(Buffer.alloc(5000, 8), 'harbour.png', { type: 'image/png' });

describe.each([
  ['openai 7', OpenAI],
  ['openai 6', OpenAI6 as unknown as typeof OpenAI],
])('With %s, what the provider bills is charged for', (_, Client) => {
  it('a transcription, with and without a stream', async () => {
    const gateway = await start();
    const openai = gateway.client(Client);
    const whole = await openai.audio.transcriptions.create({ file: await sound(), model: 'ears' });
    expect(whole.text).toBe('Hello to you and all.');
    expect(await gateway.spent()).toEqual([120 * 6 + 40 * 10, 0]);
    const types: string[] = [];
    const stream = await openai.audio.transcriptions.create({ file: await sound(), model: 'ears', stream: true });
    for await (const { type } of stream) types.push(type);
    expect(types.at(-1)).toBe('transcript.text.done');
    expect(await gateway.spent()).toEqual([gateway.billed(), 0]);
  });

  it('an edit of several images', async () => {
    const gateway = await start();
    const image = [await picture(), await picture()];
    const { data } = await gateway.client(Client).images.edit({ model: 'brush', image, prompt: 'A harbour', n: 2 });
    expect(data).toHaveLength(2);
    expect(await gateway.spent()).toEqual([gateway.billed(), 0]);
    expect(gateway.billed()).toBe(120 * 5 + 80 * 40);
  });
});

describe('A form', () => {
  it('holds the most that its model reads, and that its files can have', async () => {
    const gateway = await start();
    gateway.provider.next({ silent: true }, { silent: true });
    const openai = gateway.client();
    void openai.audio.transcriptions.create({ file: await sound(), model: 'ears' }).catch(() => {});
    await until(() => gateway.provider.calls.length === 1);
    expect(await gateway.spent()).toEqual([0, 16_000 * 6 + 2000 * 10]);
    void openai.images.edit({ model: 'brush', image: [await picture(), await picture()], prompt: 'A' }).catch(() => {});
    await until(() => gateway.provider.calls.length === 2);
    const [, held] = await gateway.spent();
    expect(held).toBeGreaterThan(16_000 * 6 + 2000 * 10 + 2 * 16_384 * 8 + 1000 * 40);
  });

  it('is sent as the rules of the operator make it, and with the model that was reserved', async () => {
    const gateway = await start({ body: { n: { cap: 1 }, quality: { force: 'low' } }, plan: { perDay: 60_000 } });
    await gateway.client().images.edit({ model: 'brush', image: await picture(), prompt: 'A harbour', n: 4 });
    expect(gateway.provider.calls[0]?.body).toMatchObject({
      model: 'small-brush',
      n: 1,
      quality: 'low',
      prompt: 'A harbour',
    });
    expect(await gateway.spent()).toEqual([gateway.billed(), 0]);
  });

  it('may also be JSON, where the provider takes it', async () => {
    const gateway = await start();
    const body = JSON.stringify({ model: 'brush', prompt: 'A', images: [{ image_url: 'data:image/png;base64,AAAA' }] });
    const headers = { 'content-type': 'application/json' };
    const answer = await gateway.fetch('http://gateway/v1/images/edits', { method: 'POST', headers, body });
    expect(await answer.json()).toMatchObject({ usage: { input_tokens: 120 } });
    expect(await gateway.spent()).toEqual([gateway.billed(), 0]);
  });

  it.each<[why: string, form: Readonly<Record<string, string>>, param: string]>([
    ['without a model', {}, 'model'],
    ['without a file', { model: 'ears', file: 'text' }, 'file'],
    ['whose answer states no usage', { model: 'ears', response_format: 'srt' }, 'response_format'],
    ['whose model has no price of sound', { model: 'text' }, 'model'],
    ['whose model may write without an end', { model: 'endless' }, 'model'],
  ])('%s is refused', async (_why, fields, param) => {
    const gateway = await start();
    const form = new FormData();
    form.set('file', await sound());
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const answer = await gateway.fetch('http://gateway/v1/audio/transcriptions', { method: 'POST', body: form });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param } }]);
    expect(await gateway.spent()).toEqual([0, 0]);
  });

  it('on another path is refused, and so is one that a plain relay would send', async () => {
    const form = new FormData();
    form.set('file', await sound());
    form.set('model', 'ears');
    const gateway = await start({ read: { format: 'openai-chat' } });
    const answer = await gateway.fetch('http://gateway/v1/audio/transcriptions', { method: 'POST', body: form });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('must be JSON') } },
    ]);
    const plain = await start({}, 'relay');
    const refused = await plain.fetch('http://gateway/v1/audio/transcriptions', { method: 'POST', body: form });
    expect(await refused.json()).toEqual({ code: 'SLUICE_UNSUPPORTED' });
  });
});
