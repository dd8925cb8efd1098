import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createFakeProvider, type FakeProvider } from '@sluice/llm/testing';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { until } from '@sluice/test-kit/until';
import OpenAI from 'openai';
import OpenAI6 from 'openai6';
import { outgoing } from './outgoing.js';

let provider: FakeProvider | undefined;

afterEach(() => provider?.close());

const model = 'gpt-5.6';
const messages = [{ role: 'user' as const, content: 'Hi' }];

/** Sends one streamed call, and reads its answer. SDKs try twice more by default. */
type Send = (url: string, fetch: typeof globalThis.fetch) => Promise<unknown>;

const chatWith =
  (Client: typeof OpenAI): Send =>
  async (url, fetch) => {
    const client = new Client({ baseURL: `${url}/v1`, apiKey: 'any', fetch });
    const options = { stream: true as const, stream_options: { include_usage: true } };
    for await (const _ of await client.chat.completions.create({ model, messages, ...options }));
  };

const SDKS: readonly [name: string, send: Send][] = [
  ['openai 7', chatWith(OpenAI)],
  ['openai 6', chatWith(OpenAI6 as unknown as typeof OpenAI)],
  [
    '@anthropic-ai/sdk',
    async (baseURL, fetch) => {
      const client = new Anthropic({ baseURL, apiKey: 'any', fetch });
      for await (const _ of await client.messages.create({ model, messages, max_tokens: 100, stream: true }));
    },
  ],
];

describe.each(SDKS)('providerFetch in %s', (_, send) => {
  it('passes a stream on, and settles with the stated usage', async () => {
    const clock = new QueueClock();
    provider = await createFakeProvider({ clock, answer: { input: 30, output: 20 } });
    const out = outgoing({ rpm: 10, tpm: 10_000 }, clock);
    await send(provider.url, out.fetch);
    const [call] = out.seen;
    await until(async () => call !== undefined && (await out.used(call)).tpm === 50);
    expect(call && (await out.used(call))).toMatchObject({ rpm: 1, tpm: 50 });
  });

  it('becomes a rate limit error, without a second try, if the turn of a call comes too late', async () => {
    const clock = new QueueClock();
    provider = await createFakeProvider({ clock });
    const out = outgoing({ rpm: 0 }, clock, { maxWait: 0 });
    await expect(send(provider.url, out.fetch)).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining('the request was not sent'),
    });
    expect(out.seen).toHaveLength(1);
  });
});
