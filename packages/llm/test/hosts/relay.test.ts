import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { until } from '@sluice/test-kit/until';
import { type LlmOptions, type LlmPlan, priceTable, type Send } from '../../src/index.js';
import type { FakeAnswer } from '../../src/testing/index.js';
import { ANSWER, PATHS, RunningGateway } from './gateway.js';
import { HOSTS, type StartGateway } from './hosts.js';

const open: RunningGateway[] = [];

async function started(
  start: StartGateway,
  limits?: Partial<LlmOptions<readonly unknown[]>>,
  parts?: { readonly send?: Send; readonly degrade?: readonly string[] },
): Promise<RunningGateway> {
  const gateway = await RunningGateway.start(start, limits, parts);
  open.push(gateway);
  return gateway;
}

afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(open.splice(0).map((gateway) => gateway.close()));
});

const CHAT = { model: 'gpt', messages: [{ role: 'user', content: 'Hi' }] };
const STREAM = { ...CHAT, stream: true };
const WITH_USAGE = { ...STREAM, stream_options: { include_usage: true } };
const MESSAGE = { ...CHAT, model: 'claude', max_tokens: 100 };
const RESPONSE = { model: 'gpt', input: 'Hi' };
const EMBEDDING = { model: 'small', input: ['Hi', 'you'] };

/** An answer as a client sees it, without what belongs to the connection and the time. */
async function seen(response: Response): Promise<unknown> {
  const { status, headers } = response;
  const fields = [...headers].filter(([name]) => !/^(date|connection|keep-alive|transfer-encoding)$/.test(name));
  const body = await response.text().catch(() => 'broken off');
  return { status, fields: Object.fromEntries(fields.sort()), body };
}

const { 'openai-chat': CHAT_PATH, 'openai-responses': RESPONSES, 'anthropic-messages': MESSAGES } = PATHS;

/** Exchanges that every host has to answer in the same way. */
const EXCHANGES: readonly (readonly [what: string, path: string, body: object, answer?: FakeAnswer])[] = [
  ['a chat', CHAT_PATH, CHAT],
  ['a stream', CHAT_PATH, STREAM],
  ['a stream with usage', CHAT_PATH, WITH_USAGE],
  ['a stream of a response', RESPONSES, { ...RESPONSE, stream: true }],
  ['an incomplete response', RESPONSES, { ...RESPONSE, max_output_tokens: 2 }],
  ['a stream of a message', MESSAGES, { ...MESSAGE, stream: true }],
  ['a message', MESSAGES, MESSAGE],
  ['a completion', PATHS['openai-completions'], { model: 'gpt', prompt: 'Hi', stream: true }],
  ['embeddings', PATHS['openai-embeddings'], EMBEDDING],
  ['a gzipped stream', CHAT_PATH, STREAM, { gzip: true }],
  ['a gzipped chat', CHAT_PATH, CHAT, { gzip: true }],
  ['a dropped stream', CHAT_PATH, STREAM, { dropAfter: 2 }],
  ['an overloaded stream', MESSAGES, { ...MESSAGE, stream: true }, { errorAfter: 3 }],
  ['a refusal', CHAT_PATH, STREAM, { refuse: { status: 429, retryAfterMs: 700 } }],
  ['an overload', MESSAGES, MESSAGE, { refuse: { status: 529 } }],
  ['a wrong key of the gateway', CHAT_PATH, CHAT, { refuse: { status: 401, message: 'Wrong key sk-1234' } }],
  [
    'fields that are not for clients',
    CHAT_PATH,
    CHAT,
    { headers: { 'set-cookie': 'a=b', 'openai-organization': 'o' } },
  ],
  ['text of many bytes', CHAT_PATH, STREAM, { chunks: ['한\u{1f600}'.repeat(4000), 'é'] }],
];

const [[, firstHost] = ['', () => Promise.reject()]] = HOSTS;

it('gives the same answers on every host, to the byte', async () => {
  // The server of Hono prints the error of a stream that the provider drops.
  jest.spyOn(console, 'error').mockImplementation(() => {});
  const answersOf = async (start: StartGateway): Promise<readonly unknown[]> => {
    const gateway = await started(start);
    const answers: unknown[] = [];
    for (const [what, path, body, answer] of EXCHANGES) {
      gateway.provider.next({ ...ANSWER, ...answer });
      answers.push({ what, ...Object(await seen(await gateway.post(path, body))) });
    }
    answers.push(await gateway.used());
    return answers;
  };
  const expected = await answersOf(firstHost);
  expect(expected.slice(0, 2)).toMatchObject([
    { status: 200, body: expect.stringContaining('"content":"Hello to you and all."') },
    { status: 200, body: expect.stringMatching(/data: \[DONE\]\n\n$/) },
  ]);
  for (const [name, start] of HOSTS) expect([name, await answersOf(start)]).toEqual([name, expected]);
});

const prices = priceTable({ gpt: { input: '1', output: '1' }, mini: { input: '0', output: '0' } });

/** With it, calls fall back to another model. */
const BY_MODEL: LlmPlan = { models: { gpt: { rpm: 1 } } };

/** Limits that two chats meet, and what the second one gets. */
const LIMITED: readonly (readonly [what: string, limits: Partial<LlmOptions<readonly unknown[]>>, answer: object])[] = [
  ['a limit of a minute', { plan: { rpm: 1 } }, { status: 429 }],
  ['a limit in the words of OpenAI', { plan: { rpm: 1 }, errors: 'openai' }, { status: 429 }],
  ['a budget', { plan: { perDay: 110 }, prices, budgetStatus: 402, showBudget: true }, { status: 402 }],
  [
    'an unknown model',
    { plan: { perDay: 150 }, prices: priceTable({ other: { input: '1', output: '1' } }) },
    { status: 400 },
  ],
  ['a cheaper model', { plan: BY_MODEL }, { fields: { 'x-sluice-model': 'mini' } }],
];

it.each(LIMITED)(
  'gives the same answer to a call that meets %s on every host, to the byte',
  async (_what, limits, answer) => {
    const answerOf = async (start: StartGateway): Promise<unknown> => {
      const gateway = await started(start, limits, limits.plan === BY_MODEL ? { degrade: ['mini'] } : {});
      await (await gateway.post(CHAT_PATH, { ...CHAT, max_tokens: 100 })).text();
      const second = await seen(await gateway.post(CHAT_PATH, { ...CHAT, max_tokens: 100 }));
      return { ...Object(second), sent: gateway.provider.calls.map(({ body }) => body.model) };
    };
    const expected = await answerOf(firstHost);
    expect(expected).toMatchObject(answer);
    for (const [name, start] of HOSTS) expect([name, await answerOf(start)]).toEqual([name, expected]);
  },
);

describe.each(HOSTS)('%s', (_name, start) => {
  it('charges a stream as stated, and takes out the usage that only the gateway asked for', async () => {
    const gateway = await started(start);
    const unasked = await (await gateway.post(CHAT_PATH, STREAM)).text();
    expect(gateway.provider.calls[0]?.body.stream_options).toEqual({ include_usage: true });
    expect(unasked).not.toContain('"choices":[]');
    expect(await gateway.used()).toMatchObject({ rpm: 1, tpm: 17, parallel: 0 });
    const asked = await (await gateway.post(CHAT_PATH, WITH_USAGE)).text();
    expect(asked).toContain('"choices":[],"usage":{"prompt_tokens":12');
    const events = (text: string): string[] => text.replaceAll(/chatcmpl-\d+/g, '').split('\n\n');
    expect(events(unasked)).toEqual(events(asked).filter((event) => !event.includes('"choices":[]')));
    expect(await gateway.used()).toMatchObject({ tpm: 34, parallel: 0 });
  });

  it('aborts the call of a client that leaves, and frees its slot', async () => {
    const gateway = await started(start);
    gateway.provider.next({ ...ANSWER, stallAfter: 2 });
    const left = new AbortController();
    const response = await gateway.post(MESSAGES, { ...MESSAGE, stream: true }, { signal: left.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; !text.includes(' to'); ) text += (await reader?.read())?.value;
    expect(await gateway.used()).toMatchObject({ parallel: 1 });
    left.abort();
    expect(await gateway.provider.calls[0]?.ended).toBe('left');
    await until(async () => (await gateway.used()).parallel === 0);
    const { tpm } = await gateway.used();
    expect(tpm).toBeGreaterThanOrEqual(14);
    expect(tpm).toBeLessThan(17);
  });

  it('aborts a call that the provider has not answered when the client leaves', async () => {
    const gateway = await started(start);
    gateway.provider.next({ silent: true });
    const left = new AbortController();
    const answer = gateway.post(CHAT_PATH, STREAM, { signal: left.signal }).catch(() => 'left');
    await until(() => gateway.provider.calls.length === 1);
    left.abort();
    expect(await answer).toBe('left');
    expect(await gateway.provider.calls[0]?.ended).toBe('left');
    await until(async () => (await gateway.used()).parallel === 0);
  });

  it('answers 502 if the provider cannot be reached, and charges nothing', async () => {
    const gateway = await started(start, {}, { send: () => fetch('http://127.0.0.1:1') });
    const response = await gateway.post(CHAT_PATH, CHAT);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { message: 'The model cannot be reached.' } });
    expect(await gateway.used()).toMatchObject({ rpm: 0, tpm: 0, parallel: 0 });
  });
});

// All hosts over Node's HTTP are written to by the same code.
describe.each(HOSTS.filter(([name]) => name === 'Express 5' || name === 'Hono'))('%s', (_name, start) => {
  it('reads from the provider only as fast as the client', async () => {
    const gateway = await started(start);
    const piece = 'x'.repeat(100_000);
    gateway.provider.next({ ...ANSWER, chunks: Array(1000).fill(piece) });
    const left = new AbortController();
    const response = await gateway.post(
      MESSAGES,
      { ...MESSAGE, max_tokens: 2000, stream: true },
      { signal: left.signal },
    );
    const reader = response.body?.getReader();
    await reader?.read();
    const sent = (): number => gateway.provider.calls[0]?.sent ?? 0;
    let before = -1;
    await until(() => {
      const isStill = before === sent();
      before = sent();
      return isStill;
    }, 50);
    // 100 megabytes do not fit in the buffers on the way.
    expect(sent()).toBeLessThan(500);
    left.abort();
    await gateway.provider.calls[0]?.ended;
  });
});
