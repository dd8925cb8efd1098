import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore, slidingWindow } from '@sluice/core';
import { createLlm, priceTable } from '@sluice/llm';
import { type OutgoingCall, providerFetch } from '@sluice/llm/fetch';
import { createFakeProvider, type FakeProvider, type FakeProviderOptions } from '@sluice/llm/testing';
import { emittedWarnings } from '@sluice/test-kit/emitted-warnings';
import { freePort } from '@sluice/test-kit/free-port';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { until } from '@sluice/test-kit/until';
import { chat, outgoing, runOver, Wire } from './outgoing.js';

const prices = priceTable({ 'gpt-5.6': { input: '1', output: '10' } });
const LARGE = { rpm: 1_000_000, tpm: 1_000_000_000, perMonth: 1_000_000_000 };

let clock: QueueClock;
let wire: Wire;
const providers: FakeProvider[] = [];

async function provide(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  clock = new QueueClock();
  wire = new Wire();
  const provider = await createFakeProvider({ clock, ...options });
  providers.push(provider);
  return provider;
}

afterEach(async () => {
  for (const provider of providers.splice(0)) await provider.close();
});

const runs = Number(process.env.SLUICE_RUNS ?? 10);

describe('providerFetch', () => {
  it('settles a call with the tokens and the money that its answer states', async () => {
    const { url } = await provide({ answer: { input: 30, output: 20 } });
    const out = outgoing({ rpm: 10, tpm: 1000, perMonth: 1_000_000 }, clock, { prices });
    const response = await out.fetch(...chat(url));
    expect(await response.json()).toMatchObject({ usage: { prompt_tokens: 30, completion_tokens: 20 } });
    expect(await out.used(out.seen[0] as OutgoingCall)).toMatchObject({ rpm: 1, tpm: 50, perMonth: 230 });
  });

  it('settles limits of createLlm by its prices, weights and rules, and teaches it how much output to expect', async () => {
    const provider = await provide({ answer: { input: 30, cacheRead: 20, output: 20 } });
    const llm = createLlm<[OutgoingCall]>({
      call: ({ body }) => body,
      plan: { tpm: 1e9, otpm: 1e9, perMonth: 1e12 },
      prices,
      tokenWeights: { cacheRead: 0.5 },
      unknownUsage: 'counted',
      hold: 'expected',
      clock,
    });
    let call: OutgoingCall | undefined;
    const limiter = createLimiter<OutgoingCall>({
      name: 'own',
      store: new MemoryStore({ clock }),
      limits: llm.policy.limits,
      keyGenerator: (subject) => {
        call = subject;
        return subject.key;
      },
    });
    const used = async (): Promise<Record<string, number>> => {
      const { verdicts } = await limiter.peek(call as OutgoingCall);
      return Object.fromEntries(verdicts.map((verdict) => [verdict.name, verdict.used]));
    };
    const limited = providerFetch(limiter, { clock });
    const send = async (body: object = {}) => {
      const answer = await limited(...chat(provider.url, { max_tokens: undefined, ...body }));
      await answer.text().catch(() => {});
    };
    await send();
    expect(await used()).toMatchObject({ tpm: 60, otpm: 20, perMonth: 50 + 200 });
    // Without the rule, money would stay as held.
    provider.next({ dropAfter: 1 });
    await send({ stream: true });
    await until(async () => ((await used()).perMonth ?? 0) < 1000);
    for (let i = 0; i < 20; i += 1) await send();
    expect(
      (await limiter.reserve(call as OutgoingCall)).verdicts.find(({ name }) => name === 'otpm')?.cost,
    ).toBeLessThan(25);
  });

  it('keeps the money that is held for a model without a price', async () => {
    const { url } = await provide({ answer: { input: 30, output: 20 } });
    const limiter = createLimiter<OutgoingCall>({
      name: 'dollars',
      store: new MemoryStore({ clock }),
      keyGenerator: () => 'all',
      limits: [
        { name: 'money', limit: slidingWindow({ limit: 1000, window: '1m' }), quotaUnit: 'micro-dollars', cost: 400 },
      ],
    });
    const limited = providerFetch(limiter, { clock, prices });
    const answer = await limited(...chat(url, { model: 'gpt-9' }));
    expect(await answer.json()).toMatchObject({ usage: { prompt_tokens: 30 } });
    expect(limiter.peek({} as OutgoingCall).tightest.used).toBe(400);
  });

  it.each([
    ['none', {}, { max_completion_tokens: 4096 }],
    ['a larger one', { max_tokens: 5000 }, { max_tokens: 5000 }],
    ['two', { max_tokens: 10, max_completion_tokens: 20 }, { max_tokens: 10, max_completion_tokens: 20 }],
  ])('asks for no more output than a ceiling holds, if the call states %s as its cap', async (_, caps, sent) => {
    const provider = await provide({ answer: { input: 30, output: 20 } });
    const out = outgoing({ tpm: 20_000 }, clock, { hold: 'ceiling' });
    const [url, init] = chat(provider.url, { max_tokens: undefined, ...caps });
    const body = String(init.body);
    const given = { ...(init.headers as Record<string, string>), 'content-length': `${body.length}` };
    for (const send of [
      () => out.fetch(url, { ...init, headers: given }),
      () => out.fetch(new Request(url, init)),
      () => out.fetch(url, { ...init, body: new TextEncoder().encode(body) }),
    ]) {
      const answer = await send();
      await answer.text();
      const { max_tokens, max_completion_tokens, ...others } = provider.calls.at(-1)?.body ?? {};
      expect({ max_tokens, max_completion_tokens }).toEqual({ max_tokens: undefined, ...sent });
      expect(others).toEqual({ model: 'gpt-5.6', messages: [{ role: 'user', content: 'hello' }] });
    }
  });

  it("sends what the operator's rules force and cap, and everything else as it was written", async () => {
    const provider = await provide();
    const llm = createLlm<[OutgoingCall]>({
      call: ({ body }) => body,
      plan: { rpm: 10 },
      body: { service_tier: { force: 'default' }, n: { cap: 2 } },
      clock,
    });
    const store = new MemoryStore({ clock });
    const limiter = createLimiter<OutgoingCall>({
      name: 'ruled',
      store,
      limits: llm.policy.limits,
      keyGenerator: ({ key }) => key,
    });
    const [url, init] = chat(provider.url);
    const body = '{"model":"gpt-5.6", "messages":[{"role":"user","content":"hello"}], "n":9, "top_p":1.0}';
    await (await providerFetch(limiter, { clock })(url, { ...init, body })).text();
    expect(provider.calls[0]?.text).toMatch(/"n":2, "top_p":1\.0/);
    expect(provider.calls[0]?.body).toMatchObject({ n: 2, service_tier: 'default' });
  });

  it('sends a provider that does not answer five calls of 20, and answers the others by itself', async () => {
    await provide();
    const out = outgoing({ rpm: 100 }, clock);
    const [url, init] = chat(`http://127.0.0.1:${await freePort()}`);
    const ends = await Promise.allSettled(Array.from({ length: 20 }, () => out.fetch(url, init)));
    const answers = ends.flatMap((end) => (end.status === 'fulfilled' ? end.value : []));
    expect(answers).toHaveLength(15);
    for (const { status, headers } of answers) expect([status, headers.get('x-should-retry')]).toEqual([503, 'false']);
    expect(await answers[0]?.json()).toMatchObject({ error: { code: 'service_unavailable' } });
    const always = outgoing({ rpm: 100 }, clock, { breaker: false });
    const others = await Promise.allSettled(Array.from({ length: 20 }, () => always.fetch(url, init)));
    expect(others.filter(({ status }) => status === 'rejected')).toHaveLength(20);
  });

  it('gives nothing of a ceiling back by an estimate, after a stream that broke', async () => {
    const provider = await provide();
    const out = outgoing({ tpm: 8000 }, clock, { hold: 'ceiling' });
    provider.next({ dropAfter: 2 });
    const answer = await out.fetch(...chat(provider.url, { stream: true, max_tokens: 500 }));
    const [call] = out.seen as [OutgoingCall];
    const held = (await out.used(call)).tpm;
    await expect(answer.text()).rejects.toThrow();
    await until(async () => (await out.used(call)).tpm === held);
    expect(held).toBeGreaterThan(500);
    clock.advance('1s');
    expect((await out.used(call)).tpm).toBe(held);
  });

  it('settles a stream at its end', async () => {
    const { url } = await provide({ answer: { input: 30, output: 20 } });
    const out = outgoing({ tpm: 1000 }, clock);
    const response = await out.fetch(...chat(url, { stream: true, stream_options: { include_usage: true } }));
    const [call] = out.seen as [OutgoingCall];
    expect((await out.used(call)).tpm).toBeGreaterThanOrEqual(100);
    expect(await response.text()).toContain('[DONE]');
    await until(async () => (await out.used(call)).tpm === 50);
  });

  it.each<[why: string, send: (provider: FakeProvider, fetch: typeof globalThis.fetch) => Promise<unknown>]>([
    ['a refusal with 429', (provider, fetch) => refused(provider, fetch, 429)],
    ['an overload, 529', (provider, fetch) => refused(provider, fetch, 529)],
  ])('gives tokens and money back, and counts the request, after %s', async (_, send) => {
    const provider = await provide();
    // The breaker would not send all of them.
    const out = outgoing(LARGE, clock, { prices, breaker: false });
    for (let i = 0; i < runs; i += 1) {
      await send(provider, out.fetch);
      await out.limiter.unblock((out.seen[0] as OutgoingCall).key);
    }
    const used = await out.used(out.seen[0] as OutgoingCall);
    expect(used).toMatchObject({ rpm: runs, tpm: 0, perMonth: 0 });
  });

  it('counts nothing of calls whose connection is refused', async () => {
    await provide();
    // The breaker would not send all of them.
    const out = outgoing(LARGE, clock, { prices, breaker: false });
    const url = `http://127.0.0.1:${await freePort()}`;
    for (let i = 0; i < runs; i += 1) await expect(out.fetch(...chat(url))).rejects.toThrow('fetch failed');
    expect(await out.used(out.seen[0] as OutgoingCall)).toMatchObject({ rpm: 0, tpm: 0, perMonth: 0 });
  });

  it('charges what is held for calls that are aborted before the head of the answer', async () => {
    const provider = await provide();
    const out = outgoing(LARGE, clock, { prices });
    for (let i = 0; i < runs; i += 1) {
      provider.next({ silent: true });
      const aborter = new AbortController();
      const [url, init] = chat(provider.url);
      const call = out.fetch(url, { ...init, signal: aborter.signal }).catch(() => {});
      await until(() => provider.calls.length > i);
      aborter.abort();
      await call;
    }
    // A cap of 100 tokens, and the prompt.
    const { rpm, tpm = 0, perMonth = 0 } = await out.used(out.seen[0] as OutgoingCall);
    expect(rpm).toBe(runs);
    expect(tpm / runs).toBeGreaterThan(100);
    expect(perMonth / runs).toBeGreaterThan(1000);
  });

  it('stops all processes for the time that the provider states', async () => {
    const provider = await provide();
    const store = new MemoryStore({ clock });
    const out = outgoing(LARGE, clock, { prices, store, fetch: wire.fetch });
    provider.next({ refuse: { status: 429, retryAfterMs: 700 } });
    expect((await out.fetch(...chat(provider.url))).status).toBe(429);
    await runOver(clock, wire, out.fetch(...chat(provider.url)), 10);
    const [first, second] = provider.calls.map(({ atMs }) => atMs) as [number, number];
    expect(second - first).toBeGreaterThanOrEqual(700);
  });

  it('stops until the used-up limit is full again if no time is stated, and else for a second, doubling', async () => {
    const provider = await provide();
    const out = outgoing(LARGE, clock, { prices, fetch: wire.fetch, maxWait: '1h' });
    const reset = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' };
    const overload = { refuse: { status: 503 } };
    provider.next({ ...overload, headers: reset }, overload, overload, {}, overload);
    for (let i = 0; i < 6; i += 1)
      await runOver(clock, wire, out.fetch(...chat(provider.url)), 100).then((response) => response.text());
    const atMs = provider.calls.map((call) => call.atMs);
    const pauses = atMs.slice(1).map((ms, i) => Math.floor((ms - (atMs[i] as number)) / 1000));
    expect(pauses).toEqual([360, 2, 4, 0, 1]);
  });

  it('stops after an overload that an answer states within its stream', async () => {
    const provider = await provide();
    const out = outgoing(LARGE, clock, { prices });
    provider.next({ errorAfter: 3 });
    const messages = chat(provider.url, { stream: true });
    const response = await out.fetch(messages[0].replace('chat/completions', 'messages'), messages[1]);
    expect(await response.text()).toContain('overloaded_error');
    const [call] = out.seen as [OutgoingCall];
    await until(async () => (await out.limiter.peek(call)).verdicts[0]?.blocked === true);
    expect((await out.limiter.peek(call)).retryAfterMs).toBe(1000);
  });

  it('keeps limits that are smaller than its own, once the provider has stated them', async () => {
    const provider = await provide({ rpm: 20, answer: { input: 1, output: 1 } });
    const out = outgoing({ rpm: 500 }, clock, { fetch: wire.fetch, maxWait: '1h' });
    await (await out.fetch(...chat(provider.url))).text();
    const calls = Array.from({ length: 60 }, async () => (await out.fetch(...chat(provider.url))).status);
    expect(new Set(await runOver(clock, wire, Promise.all(calls)))).toEqual(new Set([200]));
  });

  it('answers a call by itself whose turn would come after `maxWait`', async () => {
    const provider = await provide();
    const out = outgoing({ rpm: 1 }, clock, { maxWait: '1s' });
    await out.fetch(...chat(provider.url));
    const refusal = await out.fetch(...chat(provider.url));
    expect([refusal.status, refusal.headers.get('x-should-retry')]).toEqual([429, 'false']);
    expect([refusal.headers.get('retry-after'), refusal.headers.get('retry-after-ms')]).toEqual(['60', null]);
    expect(await refusal.json()).toMatchObject({ error: { type: 'requests', code: 'rate_limit_exceeded' } });
    expect(provider.calls).toHaveLength(1);
  });

  it('counts each key and each model apart', async () => {
    const provider = await provide();
    const out = outgoing({ rpm: 1 }, clock, { maxWait: 0 });
    const [url, init] = chat(provider.url);
    const statusOf = async (headers: Record<string, string>, model = 'gpt-5.6') =>
      (await out.fetch(url, { ...chat(provider.url, { model })[1], headers })).status;
    expect(await Promise.all([statusOf({ 'x-api-key': 'a' }), statusOf({ 'x-api-key': 'b' })])).toEqual([200, 200]);
    expect(await statusOf({ 'x-api-key': 'a' }, 'other')).toBe(200);
    expect(await statusOf({ 'x-api-key': 'a' })).toBe(429);
    // A `Request` is read as its parts are.
    expect((await out.fetch(new Request(url, { ...init, headers: { 'x-api-key': 'a' } }))).status).toBe(429);
    expect(out.seen.every(({ key }) => !JSON.stringify(key).includes('"a"'))).toBe(true);
  });

  it('sends what runs no model without limits', async () => {
    const provider = await provide();
    const out = outgoing({ rpm: 0 }, clock, { maxWait: 0 });
    expect((await out.fetch(`${provider.url}/v1/models`)).status).toBe(404);
    expect((await out.fetch(`${provider.url}/v1/files`, { method: 'POST', body: 'x' })).status).toBe(400);
    for (const path of ['threads/1/messages', 'messages/count_tokens'])
      expect((await out.fetch(`${provider.url}/v1/${path}`, { method: 'POST', body: 'x' })).status).toBe(404);
    expect((await out.fetch(...chat(provider.url))).status).toBe(429);
  });

  it('refuses what it does not know, and warns once', async () => {
    const provider = await provide();
    const warnings = emittedWarnings();
    const out = outgoing({ rpm: 10 }, clock);
    for (const path of ['/v1/images/variations', '/v1/responses/compact', '/my/gateway']) {
      const sent = out.fetch(`${provider.url}${path}?key=secret`, { method: 'POST', body: '{}' });
      await expect(sent).rejects.toMatchObject({ code: 'SLUICE_LLM_CALL', field: 'url', received: `POST ${path}` });
    }
    await expect(out.fetch(`${provider.url}/a%20poem`)).rejects.toMatchObject({ received: 'GET /a%20poem' });
    expect([out.seen, provider.calls]).toEqual([[], []]);
    expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'SLUICE_LLM_UNRECOGNIZED: POST /v1/images/variations is no call of a model that providerFetch knows, so it was not sent',
    ]);
  });

  it("counts what it does not know as a completion of its body, with unrecognized: 'count'", async () => {
    await provide();
    const warnings = emittedWarnings();
    const usage = { prompt_tokens: 30, completion_tokens: 20 };
    const answers = [Response.json({}), Response.json({ usage }), Response.json({}), Response.json({})];
    const out = outgoing({ rpm: 3, tpm: 10_000, perMonth: 1_000_000 }, clock, {
      prices,
      unrecognized: 'count',
      maxWait: 0,
      fetch: async () => answers.shift() as Response,
    });
    const url = 'https://api.example.com/v1/images/variations';
    const send = async (body: object): Promise<number> => {
      const answer = await out.fetch(url, { method: 'POST', body: JSON.stringify({ model: 'gpt-5.6', ...body }) });
      await answer.text();
      return answer.status;
    };
    const words = 'a cat '.repeat(100);
    expect(await send({ prompt: words, max_tokens: 500 })).toBe(200);
    const [call] = out.seen as [OutgoingCall];
    expect(call.call).toMatchObject({ model: 'gpt-5.6', outputCap: 500 });
    expect(call.call.input).toBeGreaterThan(200);
    // The answer states nothing, so it is charged as it was held.
    const held = await out.used(call);
    expect(held).toMatchObject({ rpm: 1, tpm: call.call.input + 500, perMonth: call.call.input + 5000 });
    await send({ prompt: words });
    expect(await out.used(call)).toMatchObject({
      rpm: 2,
      tpm: (held.tpm ?? 0) + 50,
      perMonth: (held.perMonth ?? 0) + 230,
    });
    // A model without a price is refused, not free.
    await expect(send({ model: 'image-1' })).rejects.toMatchObject({ code: 'SLUICE_LLM_CALL', field: 'model' });
    expect([await send({}), await send({})]).toEqual([200, 429]);
    expect(warnings.map(({ code }) => code)).toEqual(['SLUICE_LLM_UNRECOGNIZED']);
  });

  it('takes every POST for a call of the dialect that is stated, whatever its path', async () => {
    await provide();
    const out = outgoing({ rpm: 1 }, clock, {
      maxWait: 0,
      read: { format: 'openai-chat' },
      fetch: async () => Response.json({}),
    });
    const [, init] = chat('');
    expect((await out.fetch('https://gateway.example/ask', init)).status).toBe(200);
    expect((await out.fetch('https://gateway.example/ask', init)).status).toBe(429);
    await expect(out.fetch('https://gateway.example/ask')).rejects.toMatchObject({ field: 'url' });
  });

  it('rejects a body that is no call, and sends nothing', async () => {
    const provider = await provide();
    const out = outgoing({ rpm: 1 }, clock);
    const [url, init] = chat(provider.url, { max_tokens: 'many' });
    await expect(out.fetch(url, init)).rejects.toMatchObject({ code: 'SLUICE_LLM_CALL', field: 'max_tokens' });
    await expect(out.fetch(url, { ...init, body: '{' })).rejects.toMatchObject({ code: 'SLUICE_LLM_CALL' });
    expect(provider.calls).toHaveLength(0);
  });

  it('takes the model of an address that names it', async () => {
    await provide();
    const paths: string[] = [];
    const out = outgoing({ rpm: 9 }, clock, {
      fetch: async (input) => Response.json({ at: paths.push(String(input)) }),
    });
    const [, init] = chat('', { model: undefined });
    await out.fetch('https://my.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version=1', init);
    expect(out.seen[0]?.call.model).toBe('my gpt');
    expect(paths).toHaveLength(1);
  });

  it('works with limits that are written by hand', async () => {
    const provider = await provide({ answer: { input: 30, output: 20 } });
    let call: OutgoingCall | undefined;
    const limiter = createLimiter<OutgoingCall>({
      name: 'by-hand',
      store: new MemoryStore({ clock }),
      keyGenerator: (subject) => {
        call = subject;
        return subject.key;
      },
      limits: [
        { name: 'minute', limit: slidingWindow({ limit: 10, window: '1m' }) },
        {
          name: 'words',
          limit: slidingWindow({ limit: 1000, window: '1m' }),
          quotaUnit: 'tokens',
          cost: ({ call }) => call.input + (call.outputCap ?? 500),
        },
      ],
    });
    await (await providerFetch(limiter, { clock })(...chat(provider.url))).text();
    const { verdicts } = limiter.peek(call as unknown as OutgoingCall);
    expect(verdicts.map(({ used }) => used)).toEqual([1, 50]);
    provider.next({ refuse: { status: 500 } });
    await providerFetch(limiter, { clock })(...chat(provider.url));
    expect(limiter.peek(call as unknown as OutgoingCall).verdicts.map(({ used }) => used)).toEqual([2, 50]);
  });

  it.each([600, 777, 999])(
    'holds no slot for an answer with the status %d, which no Response can have',
    async (status) => {
      const server = createServer((socket) => {
        const body = JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } });
        socket.on('error', () => {});
        socket.once('data', () => {
          socket.end(`HTTP/1.1 ${status} Odd\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
        });
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      clock = new QueueClock();
      const out = outgoing({ rpm: 10, tpm: 1000, parallel: 1 }, clock, { maxWait: 0 });
      // A call that found the slot taken would get a 429 instead.
      for (let i = 0; i < 3; i += 1)
        await expect(out.fetch(...chat(`http://127.0.0.1:${port}`))).rejects.toThrow(/status/);
      server.close();
    },
  );

  it.each([
    ['limiter', undefined, {}],
    ['maxWait', {}, { maxWait: 'soon' }],
    ['maxHold', {}, { maxHold: -1 }],
    ['prices', {}, { prices: {} }],
    ['tokenWeights.cacheRead', {}, { tokenWeights: { cacheRead: -1 } }],
    ['read.model', {}, { read: { modell: 'x' } }],
    ['read.format', {}, { read: { format: 'openai' } }],
    ['unrecognized', {}, { unrecognized: 'send' }],
    ['retry', {}, { retry: 3 }],
  ])('refuses a wrong `%s`', (path, limiter, options: object) => {
    const given = limiter && createLimiter<OutgoingCall>({ limit: 1, window: '1s', keyGenerator: () => 'x' });
    const error = expect.objectContaining({
      code: 'SLUICE_OPTION',
      path: path === 'read.model' ? 'read.modell' : path,
    });
    expect(() => providerFetch(given as never, options)).toThrow(error);
  });
});

async function refused(provider: FakeProvider, fetch: typeof globalThis.fetch, status: number): Promise<void> {
  provider.next({ refuse: { status } });
  expect((await fetch(...chat(provider.url))).status).toBe(status);
}
