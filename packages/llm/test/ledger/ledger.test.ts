import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { until } from '@sluice/test-kit/until';
import { createLlm, priceTable, type SettledEvent, usd } from '../../src/index.js';
import { createFakeProvider, type FakeAnswer, type FakeCall, type FakeProvider } from '../../src/testing/index.js';

const prices = priceTable({
  m: {
    input: '1',
    output: '10',
    cacheRead: '0.1',
    cacheWrite: '1.25',
    imageOutput: '40',
    audioOutput: '30',
    audioInput: '6',
    maxOutput: 100,
  },
});

/** What the provider makes of each call, unless it refuses it. */
const ANSWER: FakeAnswer = {
  input: 12,
  cacheRead: 5,
  output: 40,
  reasoning: 10,
  chunks: ['Hello', ' to', ' you', ' and', ' all.'],
};

/** The tokens of its prompt. */
const PROMPT = 17;

const MESSAGES = [{ role: 'user', content: 'Hello' }];
const CONTENTS = [{ role: 'user', parts: [{ text: 'Hello' }] }];
const CONVERSE = [{ role: 'user', content: [{ text: 'Hello' }] }];
const CLAUDE = { anthropic_version: 'bedrock-2023-05-31', max_tokens: 100, messages: MESSAGES };

/** A form with a file and some fields. */
function formOf(fields: Readonly<Record<string, string>>, file: string): Uint8Array {
  const parts = Object.entries(fields).map(([name, value]) => `name="${name}"\r\n\r\n${value}`);
  const all = [`name="${file}"; filename="a"\r\n\r\n${'x'.repeat(100)}`, ...parts];
  const text = all.map((part) => `--a7Qx\r\nContent-Disposition: form-data; ${part}\r\n`).join('');
  return Buffer.from(`${text}--a7Qx--\r\n`);
}

/** Each dialect, with and without a stream. */
const CALLS: readonly (readonly [what: string, path: string, body: object])[] = [
  ['a chat', '/v1/chat/completions', { model: 'm', messages: MESSAGES }],
  ['a streamed chat', '/v1/chat/completions', { model: 'm', messages: MESSAGES, stream: true }],
  ['a response', '/v1/responses', { model: 'm', input: 'Hello' }],
  ['a streamed response', '/v1/responses', { model: 'm', input: 'Hello', stream: true }],
  ['a completion', '/v1/completions', { model: 'm', prompt: 'Hello' }],
  ['a streamed completion', '/v1/completions', { model: 'm', prompt: 'Hello', stream: true }],
  ['an image', '/v1/images/generations', { model: 'm', prompt: 'A harbour', background: 'transparent' }],
  ['two images', '/v1/images/generations', { model: 'm', prompt: 'A harbour', n: 2 }],
  ['a streamed image', '/v1/images/generations', { model: 'm', prompt: 'A harbour', stream: true }],
  ['speech', '/v1/audio/speech', { model: 'm', input: 'Hello', voice: 'alloy', stream_format: 'sse' }],
  ['a transcription', '/v1/audio/transcriptions', formOf({ model: 'm' }, 'file')],
  ['a streamed transcription', '/v1/audio/transcriptions', formOf({ model: 'm', stream: 'true' }, 'file')],
  ['an edit of an image', '/v1/images/edits', formOf({ model: 'm', prompt: 'A harbour' }, 'image')],
  ['a message', '/v1/messages', { model: 'm', messages: MESSAGES, max_tokens: 100 }],
  ['a streamed message', '/v1/messages', { model: 'm', messages: MESSAGES, max_tokens: 100, stream: true }],
  ['Gemini', '/v1beta/models/m:generateContent', { contents: CONTENTS }],
  ['Gemini by events', '/v1beta/models/m:streamGenerateContent?alt=sse', { contents: CONTENTS }],
  ['Gemini by a JSON array', '/v1beta/models/m:streamGenerateContent', { contents: CONTENTS }],
  ['Converse', '/model/m/converse', { messages: CONVERSE }],
  ['a streamed Converse', '/model/m/converse-stream', { messages: CONVERSE }],
  ['InvokeModel', '/model/m/invoke', CLAUDE],
  ['a streamed InvokeModel', '/model/m/invoke-with-response-stream', CLAUDE],
  ['InvokeModel of Llama', '/model/m/invoke', { prompt: 'Hello', max_gen_len: 100 }],
  ['a streamed InvokeModel of Llama', '/model/m/invoke-with-response-stream', { prompt: 'Hello', max_gen_len: 100 }],
  ['an embedding', '/v1/embeddings', { model: 'm', input: 'Hello' }],
  ['an embedding of Gemini', '/v1beta/models/m:embedContent', { content: { parts: [{ text: 'Hello' }] } }],
];

/** How a call ends. */
interface Ending {
  readonly answer?: FakeAnswer;
  /** Whether ours is that of the provider to the micro-dollar. Otherwise it is higher, by what was held at most. */
  readonly isExact?: true;
  /** Whether the client leaves: at once, or after the first piece of a stream. */
  readonly clientLeaves?: true;
  /** Whether the gateway gives up when the provider has the call. */
  readonly timesOut?: true;
  /** Makes something else of the provider's answer. */
  readonly change?: (answer: Response) => Promise<Response>;
}

const MALFORMED = async (answer: Response): Promise<Response> => {
  await answer.arrayBuffer();
  return new Response('{"usage":{"prompt_tok', answer);
};

const ENDINGS: readonly (readonly [what: string, ending: Ending])[] = [
  ['is complete', { isExact: true }],
  ['is cut by its cap', { answer: { ...ANSWER, output: 1000 }, isExact: true }],
  ['is refused with 429', { answer: { refuse: { status: 429 } }, isExact: true }],
  ['is refused with 500', { answer: { refuse: { status: 500 } }, isExact: true }],
  ['loses its client', { answer: { ...ANSWER, stallAfter: 2 }, clientLeaves: true }],
  ['loses its provider', { answer: { ...ANSWER, dropAfter: 2 } }],
  ['ends with an error in its stream', { answer: { ...ANSWER, errorAfter: 3 } }],
  ['gets no answer in time', { answer: { ...ANSWER, silent: true }, timesOut: true }],
  ['gets an answer that is malformed', { change: MALFORMED }],
  ['gets no usage', { answer: { ...ANSWER, usage: false } }],
  ['gets a usage that is impossible', { answer: { ...ANSWER, input: 10_000_000_000 } }],
];

let provider: FakeProvider;
beforeAll(async () => {
  provider = await createFakeProvider({ answer: ANSWER });
});
afterAll(() => provider.close());

let settled: SettledEvent[] = [];
const listen = (event: unknown): void => void settled.push(event as SettledEvent);
beforeEach(() => {
  settled = [];
  subscribe('sluice:llm-settled', listen);
  // An impossible usage warns, once for each gateway.
  jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
});
afterEach(() => {
  unsubscribe('sluice:llm-settled', listen);
  jest.restoreAllMocks();
});

/** Sends one call through a gateway. Returns what the store counts, and the call as the provider got it. */
async function ended(path: string, body: object, { answer = ANSWER, ...ending }: Ending) {
  provider.next(answer);
  const llm = createLlm<[Request]>({ call: () => body, plan: { perDay: usd('100') }, prices });
  const store = new MemoryStore();
  const limiter = createLimiter<Request>({ store, limits: llm.policy.limits, keyGenerator: () => 'ann' });
  const client = new AbortController();
  const request = new Request(`http://gateway${path}`, { method: 'POST', signal: client.signal });
  await llm.policy.extraHeaders(request, await limiter.reserve(request));
  const before = provider.calls.length;
  const type = body instanceof Uint8Array ? 'multipart/form-data; boundary=a7Qx' : 'application/json';
  const relayed = llm.relayForm(request, async (bytes, signal) => {
    const late = new AbortController();
    const sent = fetch(provider.url + path, {
      method: 'POST',
      headers: { 'content-type': type },
      body: bytes,
      signal: AbortSignal.any([signal, late.signal]),
    });
    if (ending.timesOut) {
      await until(() => provider.calls.length > before);
      late.abort(new DOMException('No answer in time', 'TimeoutError'));
    }
    const got = await sent;
    return ending.change ? ending.change(got) : got;
  });
  if (ending.clientLeaves) {
    await (await relayed).body?.getReader().read();
    client.abort();
  } else await (await relayed).arrayBuffer().catch(() => {});
  await until(() => settled.length === 1);
  const [{ used = -1 } = {}] = (await limiter.peek(request)).verdicts;
  store.close();
  return { stored: used, call: provider.calls[before] as FakeCall, event: settled[0] as SettledEvent };
}

describe.each(CALLS)('%s', (_what, path, body) => {
  it.each(ENDINGS)(
    'that %s costs in the store and by us what the provider bills, or more, and never less',
    async (_how, ending) => {
      const { stored, call, event } = await ended(path, body, ending);
      const ours = event.microDollars ?? -1;
      const held = event.held.microDollars ?? -1;
      expect(stored).toBe(ours);
      // A provider does not bill what it cannot have meant.
      const { input, audioInput } = call.billed;
      const meant = { ...call.billed, input: Math.min(input, PROMPT) };
      const billed = prices.cost('m', { ...meant, ...(audioInput && { audioInput: Math.min(audioInput, PROMPT) }) });
      if (ending.isExact) expect(ours).toBe(billed);
      expect(ours).toBeGreaterThanOrEqual(billed);
      // The page says: what was held, if nobody knows what it cost.
      expect(ours).toBeLessThanOrEqual(Math.max(held, billed));
    },
  );
});
