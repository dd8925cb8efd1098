import { expect, it } from '@jest/globals';
import { until } from '@sluice/test-kit/until';
import OpenAI from 'openai';
import OpenAI6 from 'openai6';
import type { Format } from '../../src/dialects/format.js';
import { createFakeProvider } from '../../src/testing/index.js';
import { callOf, LimitedCalls } from '../meter/limited-call.js';

const USAGE = { input: 12, output: 5, complete: true };

type Answer = (client: OpenAI) => Promise<unknown>;

it.each<[what: string, format: Format, ask: Answer, answer: unknown, usage: object]>([
  [
    'images',
    'openai-images',
    async (openai) => (await openai.images.generate({ model: 'm', prompt: 'A harbour', n: 2 })).data?.length,
    2,
    { ...USAGE, output: 10, imageOutput: 10 },
  ],
  [
    'a streamed image',
    'openai-images',
    async (openai) => {
      const types: string[] = [];
      for await (const { type } of await openai.images.generate({ model: 'm', prompt: 'A harbour', stream: true }))
        types.push(type);
      return [types.length, types.at(-1)];
    },
    [6, 'image_generation.completed'],
    { ...USAGE, imageOutput: 5 },
  ],
  [
    'speech',
    'openai-speech',
    async (openai) => {
      const answer = await openai.audio.speech.create({
        model: 'm',
        input: 'Hi',
        voice: 'alloy',
        stream_format: 'sse',
      });
      return (await answer.text()).match(/speech\.audio\.\w+/g);
    },
    [...Array(5).fill('speech.audio.delta'), 'speech.audio.done'],
    { ...USAGE, audioOutput: 5 },
  ],
])('The official packages read %s, and the meter their usage', async (_what, format, ask, expected, usage) => {
  const provider = await createFakeProvider({ answer: { input: 12, output: 5 } });
  const calls = new LimitedCalls();
  const metered: typeof fetch = async (input, init) => calls.begin(callOf(format)).response(await fetch(input, init));
  for (const Client of [OpenAI, OpenAI6 as unknown as typeof OpenAI]) {
    const client = new Client({ baseURL: `${provider.url}/v1`, apiKey: 'any', maxRetries: 0, fetch: metered });
    expect(await ask(client)).toEqual(expected);
  }
  await until(() => calls.ends.length === 2);
  expect(calls.ends).toMatchObject([
    { end: 'complete', usage },
    { end: 'complete', usage },
  ]);
  await provider.close();
});
