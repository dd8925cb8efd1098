import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freePort } from '@sluice/test-kit/free-port';
import { until } from '@sluice/test-kit/until';
import { type LlmPlan, priceTable, readCall, type Send, usd } from '../../src/index.js';
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
/** A port that nobody listens on. */
let closed: number;
let send: Send;

async function begin(start: StartGateway): Promise<void> {
  gateway = await RunningGateway.start(start, { plan, prices }, { send: (...call) => send(...call) });
  send = toProvider;
}
beforeAll(async () => {
  silent = await createFakeProvider({ answer: { silent: true } });
  closed = await freePort();
});
afterAll(() => silent.close());
afterEach(async () => {
  jest.restoreAllMocks();
  await gateway.close();
});

const toProvider: Send = (body, signal, { format }) =>
  fetch(`${gateway.provider.url}${PATHS[format as keyof typeof PATHS]}`, { method: 'POST', body, signal });

const refusing =
  (status: number): Send =>
  (...call) => {
    gateway.provider.next({ refuse: { status } });
    return toProvider(...call);
  };

/** What a failed call is charged. */
type Charge = keyof typeof CHARGES;

const { input, inputCeiling } = readCall(CHAT, { format: 'openai-chat' });
/** The cap of a call that states none, if nobody has said how much its model makes. */
const output = 4096;

const CHARGES = {
  nothing: {},
  'the request': { rpm: 1 },
  /** None of a stream came. Its money is charged all the same: the provider may have made it. */
  'its prompt and the money that it held': {
    rpm: 1,
    tpm: input,
    perDay: prices.most('gpt', { input: inputCeiling, output }),
  },
} as const;

const FAILURES: readonly (readonly [what: string, charge: Charge, send: Send, status: number])[] = [
  ['429', 'the request', refusing(429), 429],
  ['529', 'the request', refusing(529), 529],
  ['a refused connection', 'nothing', () => fetch(`http://127.0.0.1:${closed}`), 502],
  [
    'no answer in time',
    'its prompt and the money that it held',
    (body) => fetch(`${silent.url}/v1/messages`, { method: 'POST', body, signal: AbortSignal.timeout(5) }),
    504,
  ],
];

describe.each(STARTS)('many calls that the provider refuses or does not answer, on %s', (_name, start) => {
  beforeEach(() => begin(start));

  it.each(FAILURES)('%s: each is charged %s, to the unit', async (_what, charge, failing, status) => {
    await (await gateway.post(PATHS['openai-chat'], CHAT)).text();
    const before = await gateway.used();
    expect(before).toMatchObject({ rpm: 1, tpm: 17, perDay: 12 * 3 + 5 * 15, parallel: 0 });
    const one: Readonly<Record<string, number>> = CHARGES[charge];
    send = failing;
    for (let sent = 0; sent < TIMES; sent += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => gateway.post(PATHS['openai-chat'], CHAT)));
      expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(status));
      await Promise.all(answers.map((answer) => answer.text()));
    }
    send = toProvider;
    const expected = Object.entries(before).map(([name, units]) => [name, units + TIMES * (one[name] ?? 0)]);
    expect(await gateway.used()).toEqual(Object.fromEntries(expected));
  });
});

describe.each(STARTS)('a client that calls again and again, on %s', (_name, start) => {
  let sent = 0;

  /** Sends so many calls to a provider that fails. Returns how many of them were sent. */
  async function calls(count: number, limits: LlmPlan, failing: Send): Promise<number> {
    sent = 0;
    const counted: Send = (...call) => {
      sent += 1;
      return failing(...call);
    };
    gateway = await RunningGateway.start(start, { plan: limits, prices }, { send: counted });
    for (let i = 0; i < count; i += 1) {
      await (await gateway.post(PATHS['openai-chat'], { ...CHAT, max_tokens: 13_000 })).text();
    }
    return sent;
  }

  it.each([400, 429, 500])('reaches the provider 10 times with rpm 10, if it refuses with %d', async (status) => {
    expect(await calls(100, { rpm: 10 }, async () => Response.json({ error: {} }, { status }))).toBe(10);
  });

  it.each<[what: string, error: unknown]>([
    ['a timeout', new DOMException('Too late', 'TimeoutError')],
    ['a reset', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })],
    ['an error that says nothing', new Error('no')],
  ])('spends at most a dollar on calls of twenty cents that end with %s', async (_what, error) => {
    // 13,000 tokens of $15 a million are 19.5 cents.
    expect(await calls(20, { perDay: usd('1') }, () => Promise.reject(error))).toBe(5);
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
