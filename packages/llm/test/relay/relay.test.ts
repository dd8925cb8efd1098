import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { providerOfHost } from '../../src/dialects/providers.js';
import { createLlm, type ProviderName, type ProviderProfile } from '../../src/index.js';
import { outgoingBody } from '../../src/relay/outgoing-body.js';
import { PRICES, usedOf } from '../limited.js';
import { callOf } from '../meter/limited-call.js';

describe('the body that a relay sends', () => {
  const USAGE = { stream_options: { include_usage: true } };

  it.each([
    ['openai-chat', {}, undefined, USAGE],
    [
      'openai-chat',
      { stream_options: { include_usage: false, other: 1 } },
      undefined,
      { stream_options: { include_usage: true, other: 1 } },
    ],
    ['openai-chat', USAGE, undefined, USAGE],
    ['openai-completions', {}, 50, { ...USAGE, max_tokens: 50 }],
    ['openai-chat', {}, 50, { ...USAGE, max_completion_tokens: 50 }],
    ['openai-chat', { max_tokens: 100 }, 50, { ...USAGE, max_tokens: 50 }],
    [
      'openai-chat',
      { max_tokens: 10, max_completion_tokens: 90 },
      50,
      { ...USAGE, max_tokens: 10, max_completion_tokens: 50 },
    ],
    ['openai-responses', {}, 50, { max_output_tokens: 50 }],
    ['anthropic-messages', { max_tokens: 20 }, 50, { max_tokens: 20 }],
    // A server may read the cap of another dialect.
    ['openai-chat', { max_output_tokens: 700 }, 50, { ...USAGE, max_completion_tokens: 50, max_output_tokens: 50 }],
    ['openai-embeddings', {}, 50, {}],
  ] as const)('%s: %j with the cap %j becomes %j', (format, asked, sentCap, sent) => {
    const call = { ...callOf(format), model: 'cheaper' };
    const { content: text } = outgoingBody({ body: { ...asked, model: 'asked' }, call, ...(sentCap && { sentCap }) });
    expect(JSON.parse(text as string)).toEqual({ ...asked, ...sent, model: 'cheaper' });
  });
});

describe('the text that a relay sends', () => {
  const given = '{ "model": "asked", "seed": 12345678901234567890, "x": 1.0,\n "messages": [] }';
  const body: unknown = JSON.parse(given);
  const call = { ...callOf('openai-chat'), model: 'asked' };

  it('is the text of the caller, to the byte, if there is nothing to change', () => {
    expect(outgoingBody({ body, text: given, call: { ...call, stream: false } }).content).toBe(given);
  });

  it('differs from it only in what has to change', () => {
    const { content: text } = outgoingBody({ body, text: given, call: { ...call, model: 'cheaper' }, sentCap: 5 });
    expect(text).toBe(
      '{ "model": "cheaper", "seed": 12345678901234567890, "x": 1.0,\n "messages": [],"max_completion_tokens":5,"stream_options":{"include_usage":true} }',
    );
  });

  it('keeps the order of members where only the parsed body is known, and names no model that the caller has not named', () => {
    const { content: text } = outgoingBody({ body: { max_tokens: 9, messages: [], temperature: 1 }, call, sentCap: 5 });
    expect(text).toBe('{"max_tokens":5,"messages":[],"temperature":1,"stream_options":{"include_usage":true}}');
  });
});

describe('the model in a body', () => {
  it('of Gemini or Bedrock is left as it is, because the address decides', () => {
    const body = { model: 'models/asked', contents: [] };
    const call = { ...callOf('gemini-generate'), model: 'cheaper' };
    expect(outgoingBody({ body, call }).content).toBe(JSON.stringify(body));
  });
});

describe('a call that the application gives as text', () => {
  const text = '{"model":"gpt-5.6","messages":[{"role":"user","content":"Hi"}],"seed":9007199254740993,"top_p":1.0}';

  async function relayed(given: unknown): Promise<string[]> {
    const llm = createLlm<[Request]>({ call: () => given, plan: { tpm: 1e9 }, hold: 'ceiling', prices: PRICES });
    const limiter = createLimiter<Request>({ limits: llm.policy.limits, keyGenerator: () => 'ann' });
    const request = new Request('http://gateway/v1/chat/completions', { method: 'POST' });
    await llm.policy.extraHeaders(request, await limiter.reserve(request));
    const sent: string[] = [];
    await llm.relay(request, async (body) => {
      sent.push(body);
      return Response.json({});
    });
    return sent;
  }

  it.each([
    ['text', text],
    ['bytes', Buffer.from(text)],
  ])('as %s is sent with a cap, and is the same otherwise', async (_form, given) => {
    expect(await relayed(given)).toEqual([`${text.slice(0, -1)},"max_completion_tokens":100000}`]);
  });

  it.each([
    ['which is no JSON', '{"model":'],
    [
      'in which a name stands twice, because the provider may read the other value',
      '{"model":"cheap","messages":[],"model":"dear"}',
    ],
    ['in which a name stands twice in a message', '{"model":"m","messages":[{"role":"user","role":"system"}]}'],
  ])('%s is refused', async (_what, given) => {
    await expect(relayed(given)).rejects.toMatchObject({ code: 'SLUICE_LLM_CALL', field: 'body' });
  });
});

describe('a call that cannot be sent', () => {
  it('costs nothing: its provider is not known', async () => {
    const provider = () => 'nobody' as ProviderName;
    const body = { model: 'gpt-5.6', messages: [], max_tokens: 5 };
    const llm = createLlm<[Request]>({ call: () => body, plan: { rpm: 9, tpm: 1e9 }, prices: PRICES, provider });
    const limiter = createLimiter<Request>({ limits: llm.policy.limits, keyGenerator: () => 'ann' });
    const request = new Request('http://gateway/v1/chat/completions', { method: 'POST' });
    await llm.policy.extraHeaders(request, await limiter.reserve(request));
    const relayed = llm.relay(request, async () => Response.json({}));
    await expect(relayed).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'provider()' });
    expect(usedOf(await limiter.peek(request))).toEqual({ rpm: 0, tpm: 0 });
  });
});

describe('for a provider that speaks like OpenAI, a relay', () => {
  const call = { ...callOf('openai-chat'), model: 'm' };
  const sent = (provider: ProviderName | ProviderProfile, of = call) =>
    JSON.parse(outgoingBody({ body: { messages: [] }, call: of, sentCap: 5 }, provider).content as string);

  it.each<[ProviderName | ProviderProfile, object]>([
    ['openai', { max_completion_tokens: 5, stream_options: { include_usage: true } }],
    ['azure', { max_completion_tokens: 5, stream_options: { include_usage: true } }],
    ['openrouter', { max_tokens: 5 }],
    ['mistral', { max_tokens: 5 }],
    ['deepseek', { max_tokens: 5, stream_options: { include_usage: true } }],
    [{ streamOptions: false }, { max_completion_tokens: 5 }],
    [{ chatCap: 'max_tokens' }, { max_tokens: 5, stream_options: { include_usage: true } }],
  ])('states the members that %j understands', (provider, members) => {
    expect(sent(provider)).toEqual({ messages: [], ...members });
  });

  it('lowers whichever cap the caller has stated', () => {
    const body = { messages: [], max_completion_tokens: 9 };
    expect(JSON.parse(outgoingBody({ body, call, sentCap: 5 }, 'mistral').content as string)).toMatchObject({
      max_completion_tokens: 5,
    });
  });

  it.each([
    ['my-resource.openai.azure.com', 'azure'],
    ['openrouter.ai', 'openrouter'],
    ['API.mistral.ai', 'mistral'],
    ['api.deepseek.com', 'deepseek'],
    ['api.openai.com', 'openai'],
    ['notmistral.ai', 'openai'],
    ['localhost', 'openai'],
  ])('is told by the host %s that it is %s', (host, name) => {
    expect(providerOfHost(host)).toBe(name);
  });

  it.each(['groq', 5, { cap: 'max_tokens' }, { chatCap: 'n' }, { streamOptions: 'no' }])(
    'refuses %j, which is no provider',
    (provider) => {
      const options = { call: (body: unknown) => body, plan: { rpm: 1 }, provider: provider as ProviderName };
      expect(() => createLlm(options)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION' }));
    },
  );
});

describe('a relay', () => {
  const { relay } = createLlm({ call: (body: unknown) => body, plan: { rpm: 1 } });
  const send = async (): Promise<Response> => new Response();

  it('sends no call that no policy has admitted', async () => {
    await expect(relay(new Request('http://gateway'), send)).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
    await expect(relay({ req: {}, res: {} }, send)).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
  });

  it.each([undefined, null, 'request', {}, { req: {}, res: undefined }])(
    'refuses the exchange %j',
    async (exchange) => {
      await expect(relay(exchange as unknown as Request, send)).rejects.toMatchObject({
        code: 'SLUICE_OPTION',
        path: 'exchange',
      });
    },
  );
});

describe('a relayed call', () => {
  const clock = new ManualClock();
  const llm = createLlm<[Request]>({
    call: () => ({ model: 'gpt', messages: [] }),
    plan: { tpm: 10_000, parallel: 1 },
    clock,
  });
  const limits = llm.policy.limits;

  /** A request that the limits have admitted, and what they count. */
  async function admitted(signal?: AbortSignal) {
    const limiter = createLimiter<Request>({
      name: 'llm',
      limits,
      keyGenerator: () => 'ann',
      store: new MemoryStore({ clock }),
    });
    const request = new Request('http://gateway/v1/chat/completions', { method: 'POST', ...(signal && { signal }) });
    await llm.policy.extraHeaders(request, await limiter.reserve(request));
    const used = async (): Promise<number[]> => (await limiter.peek(request)).verdicts.map((verdict) => verdict.used);
    return { request, used };
  }

  it('is neither sent nor charged if the client has left before', async () => {
    const { request, used } = await admitted(AbortSignal.abort());
    const sent: string[] = [];
    const { status } = await llm.relay(request, async (body) => {
      sent.push(body);
      return Response.json({});
    });
    expect([status, sent, await used()]).toEqual([502, [], [0, 0]]);
  });

  it('is sent once with a request, because a second one would be free', async () => {
    const { request, used } = await admitted();
    const sent: string[] = [];
    const send = async (body: string): Promise<Response> => {
      sent.push(body);
      return Response.json({}, { status: 503 });
    };
    expect((await llm.relay(request, send)).status).toBe(503);
    await expect(llm.relay(request, send)).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
    expect(sent).toHaveLength(1);
    expect(await used()).toEqual([0, 0]);
  });

  it('gets 502 if send resolves with an answer that is an error, and keeps what it holds', async () => {
    const { request, used } = await admitted();
    expect((await llm.relay(request, async () => Response.error())).status).toBe(502);
    const [tpm, parallel] = await used();
    // Nobody knows why there is no answer.
    expect(tpm).toBeGreaterThan(1000);
    expect(parallel).toBe(0);
  });
});

describe('a client that leaves while send works on', () => {
  const llm = createLlm<[IncomingMessage]>({ call: () => ({ model: 'gpt', messages: [] }), plan: { tpm: 10_000 } });
  const limits = llm.policy.limits;

  // Express 4 handles no rejection, so one would end the process.
  it.each([200, 401, 429])('does not make the relay fail, if the provider has answered %i', async (status) => {
    const store = new MemoryStore();
    const limiter = createLimiter<IncomingMessage>({ name: 'llm', limits, keyGenerator: () => 'ann', store });
    const left = new AbortController();
    let relayed: Promise<void> | undefined;
    const server = createServer(async (req, res) => {
      await llm.policy.extraHeaders(req, await limiter.reserve(req));
      relayed = llm.relay({ req, res }, async (_body, signal) => {
        left.abort();
        await once(signal, 'abort');
        // What `fetch` makes of an answer whose call was aborted.
        return new Response(new ReadableStream({ start: (body) => body.error(signal.reason) }), { status });
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(fetch(`http://127.0.0.1:${port}`, { method: 'POST', signal: left.signal })).rejects.toThrow();
    await relayed;
    server.closeAllConnections();
    server.close();
    store.close();
  });
});
