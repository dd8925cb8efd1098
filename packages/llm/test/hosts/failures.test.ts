import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { until } from '@sluice/test-kit/until';
import { priceTable, type Send } from '../../src/index.js';
import { createFakeProvider, type FakeProvider } from '../../src/testing/index.js';
import { ANSWER, PATHS, RunningGateway } from './gateway.js';
import { HOSTS, type StartGateway } from './hosts.js';

/** How often each failure happens. */
const TIMES = process.env.SLUICE_RUNS === undefined ? 10 : 1000;

const CHAT = { model: 'gpt', messages: [{ role: 'user', content: 'Hi' }], stream: true };
const prices = priceTable({ gpt: { input: '3', output: '15' }, small: { input: '0', output: '0' } });
const plan = { rpm: 1_000_000, tpm: 1_000_000_000, parallel: 100, perDay: 1_000_000_000 };

/** One host that is written to by Node's HTTP, and one that returns a fetch response. */
const STARTS = HOSTS.filter(([name]) => name === 'Express 5' || name === 'Hono');

let gateway: RunningGateway;
/** A provider that never answers. */
let silent: FakeProvider;
let send: Send;

async function begin(start: StartGateway): Promise<void> {
  gateway = await RunningGateway.start(start, { plan, prices }, { send: (...call) => send(...call) });
  send = toProvider;
}
beforeAll(async () => {
  silent = await createFakeProvider({ answer: { silent: true } });
});
afterAll(() => silent.close());
afterEach(async () => {
  jest.restoreAllMocks();
  await gateway.close();
});

const toProvider: Send = (body, signal, { format }) =>
  fetch(`${gateway.provider.url}${PATHS[format]}`, { method: 'POST', body, signal });

const refusing =
  (status: number): Send =>
  (...call) => {
    gateway.provider.next({ refuse: { status } });
    return toProvider(...call);
  };

const FAILURES: readonly (readonly [what: string, send: Send, status: number])[] = [
  ['429', refusing(429), 429],
  ['529', refusing(529), 529],
  ['a refused connection', () => fetch('http://127.0.0.1:1'), 502],
  [
    'no answer in time',
    (body) => fetch(`${silent.url}/v1/messages`, { method: 'POST', body, signal: AbortSignal.timeout(5) }),
    504,
  ],
];

describe.each(STARTS)('many calls that the provider refuses or does not answer, on %s', (_name, start) => {
  beforeEach(() => begin(start));

  it.each(FAILURES)('%s: tokens, money and slots are what they were, to the unit', async (_what, failing, status) => {
    await (await gateway.post(PATHS['openai-chat'], CHAT)).text();
    const before = await gateway.used();
    expect(before).toMatchObject({ tpm: 17, perDay: 12 * 3 + 5 * 15, parallel: 0 });
    send = failing;
    for (let sent = 0; sent < TIMES; sent += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => gateway.post(PATHS['openai-chat'], CHAT)));
      expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(status));
      await Promise.all(answers.map((answer) => answer.text()));
    }
    send = toProvider;
    const { rpm: _, ...unchanged } = before;
    expect(await gateway.used()).toMatchObject(unchanged);
  });
});

describe.each(STARTS)('a call that makes no progress on %s', (_name, start) => {
  beforeEach(() => begin(start));

  it('is aborted after the longest hold, and charged as held', async () => {
    // The server of Hono prints why a stream ended.
    jest.spyOn(console, 'error').mockImplementation(() => {});
    const { clock, provider } = gateway;
    const before = await gateway.used();
    provider.next({ ...ANSWER, stallAfter: 2 });
    const response = await gateway.post(PATHS['openai-chat'], CHAT);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; !text.includes(' to'); ) text += (await reader?.read())?.value;
    const held = await gateway.used();
    expect(held).toMatchObject({ parallel: 1 });
    // The pieces that were read are progress.
    clock.advance('15m');
    await until(async () => (await gateway.used()).tpm === 0);
    clock.advance('15m');
    await expect((async () => (await reader?.read())?.value)()).rejects.toThrow();
    expect(await provider.calls.find(({ stream }) => stream)?.ended).toBe('left');
    await until(async () => (await gateway.used()).parallel === 0);
    expect((await gateway.used()).perDay).toBe((before.perDay ?? 0) + (held.perDay ?? 0));
  });

  it('is answered with 504 if the provider has sent nothing', async () => {
    const { clock, provider } = gateway;
    provider.next({ silent: true });
    const answer = gateway.post(PATHS['openai-chat'], CHAT);
    await until(() => provider.calls.length === 1);
    clock.advance('15m');
    expect((await answer).status).toBe(504);
    expect(await provider.calls[0]?.ended).toBe('left');
  });
});
