import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { streamText } from 'ai';
import { createAnthropic as createAnthropic3 } from 'ai-sdk-anthropic3';
import { createOpenAI as createOpenAI3 } from 'ai-sdk-openai3';
import { streamText as streamText6 } from 'ai6';
import OpenAI from 'openai';
import OpenAI6 from 'openai6';
import type { Format } from '../../src/dialects/format.js';

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

/** Where an SDK sends its calls. */
export interface SdkOptions {
  /** The origin, without a path. */
  readonly url: string;
  readonly fetch?: typeof fetch;
  readonly maxRetries?: number;
}

/** A real client, as an application uses it. */
export interface Sdk {
  readonly name: string;
  readonly format: Format;
  /** Whether it reads an answer to its end although its caller has stopped reading. */
  readonly readsOn?: true;
  /** Returns the text of a streamed answer in pieces. An aborted signal ends it with or without an error. */
  stream(options: SdkOptions, signal?: AbortSignal): AsyncIterable<string>;
}

const MODEL = 'gpt-5.6';
const messages = [{ role: 'user' as const, content: 'Hi' }];
const apiKey = 'any';

/** Both majors have the same methods here. */
function openai(name: string, Client: typeof OpenAI): Sdk {
  return {
    name,
    format: 'openai-chat',
    async *stream({ url, ...options }, signal) {
      const client = new Client({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, ...options });
      const body = { model: MODEL, messages, stream: true as const, stream_options: { include_usage: true } };
      const stream = await client.chat.completions.create(body, { ...(signal && { signal }) });
      for await (const { choices } of stream) {
        const text = choices[0]?.delta.content;
        if (text) yield text;
      }
    },
  };
}

function responses(name: string, Client: typeof OpenAI): Sdk {
  return {
    name,
    format: 'openai-responses',
    async *stream({ url, ...options }, signal) {
      const client = new Client({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, ...options });
      const stream = await client.responses.create(
        { model: MODEL, input: 'Hi', stream: true },
        { ...(signal && { signal }) },
      );
      for await (const event of stream) if (event.type === 'response.output_text.delta') yield event.delta;
    },
  };
}

const anthropic: Sdk = {
  name: '@anthropic-ai/sdk 1.12',
  format: 'anthropic-messages',
  async *stream({ url, ...options }, signal) {
    const client = new Anthropic({ baseURL: url, apiKey, maxRetries: 0, ...options });
    const stream = await client.messages.create(
      { model: MODEL, messages, max_tokens: 100, stream: true },
      { ...(signal && { signal }) },
    );
    for await (const event of stream)
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield event.delta.text;
  },
};

/** What of a provider's package is used here. */
type CreateModel = (options: SdkOptions) => Parameters<typeof streamText>[0]['model'];

function aiSdk(name: string, format: Format, stream: typeof streamText, modelOf: CreateModel): Sdk {
  return {
    name,
    format,
    readsOn: true,
    async *stream(options, signal) {
      const { textStream } = stream({
        model: modelOf(options),
        prompt: 'Hi',
        maxRetries: options.maxRetries ?? 0,
        onError: () => {},
        ...(signal && { abortSignal: signal }),
      });
      yield* textStream;
    },
  };
}

const settingsOf = ({ url, fetch }: SdkOptions) => ({ baseURL: `${url}/v1`, apiKey, ...(fetch && { fetch }) });

/** Both majors have the same function here; their types differ in what is not used. */
const stream6 = streamText6 as unknown as typeof streamText;

export const SDKS: readonly Sdk[] = [
  openai('openai 6.49', OpenAI6 as unknown as typeof OpenAI),
  openai('openai 7.57', OpenAI),
  responses('openai 6.49, responses', OpenAI6 as unknown as typeof OpenAI),
  responses('openai 7.57, responses', OpenAI),
  anthropic,
  aiSdk('ai 6.0, openai', 'openai-chat', stream6, (options) => createOpenAI3(settingsOf(options)).chat(MODEL)),
  aiSdk('ai 7.0, openai', 'openai-responses', streamText, (options) => createOpenAI(settingsOf(options))(MODEL)),
  aiSdk('ai 6.0, anthropic', 'anthropic-messages', stream6, (options) => createAnthropic3(settingsOf(options))(MODEL)),
  aiSdk('ai 7.0, anthropic', 'anthropic-messages', streamText, (options) =>
    createAnthropic(settingsOf(options))(MODEL),
  ),
];
