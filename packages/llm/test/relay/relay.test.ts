import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { createLlm } from '../../src/index.js';
import { outgoingBody } from '../../src/relay/outgoing-body.js';
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
    ['openai-embeddings', {}, 50, {}],
  ] as const)('%s: %j with the cap %j becomes %j', (format, asked, sentCap, sent) => {
    const call = { ...callOf(format), model: 'cheaper' };
    const { text } = outgoingBody({ body: { ...asked, model: 'asked' }, call, ...(sentCap && { sentCap }) });
    expect(JSON.parse(text)).toEqual({ ...asked, ...sent, model: 'cheaper' });
  });
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
