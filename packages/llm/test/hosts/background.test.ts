import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { rateLimit } from '@sluice/hono';
import { Hono } from 'hono';
import { type OutgoingCall, providerFetch } from '../../src/fetch/index.js';
import { createLlm, type LlmOptions } from '../../src/index.js';
import { PRICES, usedOf } from '../limited.js';

const CALL = { model: 'gpt-5.6', input: 'Tell me about the harbour.', background: true, max_output_tokens: 1000 };
const usage = { input_tokens: 10, output_tokens: 20, total_tokens: 30 };

/** A provider that works in the background: it answers at once, and is done when the test says so. */
class Provider {
  isDone = false;
  made = 0;

  readonly fetch: typeof fetch = async (input, init) => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    if (init?.method === 'POST') {
      this.made += 1;
      return Response.json({ id: `resp_${this.made}`, object: 'response', status: 'queued', output: [], usage: null });
    }
    const id = url.pathname.split('/').at(-1);
    if (Number(id?.slice('resp_'.length)) > this.made)
      return Response.json({ error: { message: 'none' } }, { status: 404 });
    const state = this.isDone ? { status: 'completed', usage } : { status: 'in_progress', usage: null };
    return Response.json({ id, object: 'response', output: [], ...state });
  };
}

function gateway(options: Partial<LlmOptions<[Request]>> = {}) {
  const clock = new ManualClock();
  const provider = new Provider();
  const llm = createLlm<[Request]>({
    call: (request) => ('clone' in request ? request.clone() : (request as { req: Request }).req).json(),
    plan: { parallel: 1, perDay: 1_000_000 },
    prices: PRICES,
    body: { background: 'allow' },
    clock,
    ...options,
  });
  const store = new MemoryStore({ clock });
  const limiter = createLimiter<Request>({ name: 'llm', store, limits: llm.policy.limits, keyGenerator: () => 'ann' });
  const url = 'http://gateway/v1/responses';

  const post = async (body: object = CALL): Promise<{ status: number; id?: string }> => {
    const request = new Request(url, { method: 'POST', body: JSON.stringify(body) });
    const reservation = await limiter.reserve(request);
    await llm.policy.extraHeaders(request, reservation);
    if (!reservation.allowed) return { status: 429 };
    const answer = await llm.relay(request, (text, signal) =>
      provider.fetch(url, { method: 'POST', body: text, signal }),
    );
    const { id } = (await answer.json()) as { id: string };
    return { status: answer.status, id };
  };
  const get = async (id: string): Promise<Response> =>
    llm.collect(new Request(`${url}/${id}`), id, (signal) => provider.fetch(`${url}/${id}`, { signal }));
  const used = async () =>
    usedOf(
      await limiter.peek(new Request(url, { method: 'POST', body: JSON.stringify({ ...CALL, max_output_tokens: 0 }) })),
    );
  return { clock, provider, llm, post, get, used };
}

describe('A call in the background', () => {
  it('keeps its slot and its money until somebody fetches the final answer, and is settled by its usage', async () => {
    const { provider, post, get, used } = gateway();
    const { id = '' } = await post();
    const held = await used();
    expect(held).toMatchObject({ parallel: 1 });
    expect(held.perDay).toBeGreaterThan(10_000);
    expect(await post()).toEqual({ status: 429 });
    expect(await (await get(id)).json()).toMatchObject({ status: 'in_progress' });
    expect(await used()).toEqual(held);
    provider.isDone = true;
    expect(await (await get(id)).json()).toMatchObject({ status: 'completed', usage });
    expect(await used()).toEqual({ parallel: 0, perDay: 210 });
    expect((await post()).status).toBe(200);
  });

  it('keeps its slot on a host, too, however long it takes after the answer to its request', async () => {
    const { clock, provider, llm } = gateway();
    const store = new MemoryStore({ clock });
    const app = new Hono();
    const policy = rateLimit({ name: 'llm', store, keyGenerator: () => 'ann', ...llm.policy } as never);
    app.post('/v1/responses', policy, (c) =>
      llm.relay(c.req.raw, (body) => provider.fetch(c.req.url, { method: 'POST', body })),
    );
    app.get('/v1/responses/:id', (c) => llm.collect(c.req.raw, c.req.param('id'), () => provider.fetch(c.req.url)));
    const post = async () => {
      const answer = await app.request('/v1/responses', { method: 'POST', body: JSON.stringify(CALL) });
      await answer.text();
      return answer.status;
    };
    expect(await post()).toBe(200);
    for (let minute = 0; minute < 5; minute += 1) {
      for (let second = 0; second < 60; second += 5) {
        clock.advance('5s');
        await new Promise(setImmediate);
      }
      await (await app.request('/v1/responses/resp_1')).text();
      expect(await post()).toBe(429);
    }
    provider.isDone = true;
    await (await app.request('/v1/responses/resp_1')).text();
    expect(await post()).toBe(200);
    store.close();
  });

  it('passes 1 of 200 times at once, and never more money than the budget', async () => {
    const { post, used } = gateway();
    const answers = await Promise.all(Array.from({ length: 200 }, () => post()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await used()).parallel).toBe(1);
  });

  it('is charged as held, and its slot is free, if nobody asks for it within the longest hold', async () => {
    const { clock, provider, post, get, used } = gateway({ maxHold: '10m' });
    const { id = '' } = await post();
    const { perDay } = await used();
    clock.advance('9m');
    // Asking is progress.
    await (await get(id)).text();
    clock.advance('9m');
    expect(await used()).toEqual({ parallel: 1, perDay });
    clock.advance('1m');
    await new Promise(setImmediate);
    expect(await used()).toEqual({ parallel: 0, perDay });
    provider.isDone = true;
    // Its answer can still be read, and changes nothing.
    expect(await (await get(id)).json()).toMatchObject({ status: 'completed' });
    expect(await used()).toEqual({ parallel: 0, perDay });
  });

  it('is not settled by an error, or by an answer that nobody asked for here', async () => {
    const { post, get, used } = gateway();
    await post();
    const held = await used();
    expect((await get('resp_9')).status).toBe(404);
    expect(await used()).toEqual(held);
  });

  it('is refused by default', async () => {
    const { post } = gateway({ body: {} });
    await expect(post()).rejects.toMatchObject({ field: 'background' });
  });

  it('is settled by providerFetch when its answer is fetched', async () => {
    const clock = new ManualClock();
    const provider = new Provider();
    const llm = createLlm<[OutgoingCall]>({
      call: ({ body }) => body,
      plan: { parallel: 1, perDay: 1_000_000 },
      prices: PRICES,
      body: { background: 'allow' },
      clock,
    });
    const store = new MemoryStore({ clock });
    const seen: OutgoingCall[] = [];
    const limiter = createLimiter<OutgoingCall>({
      name: 'out',
      store,
      limits: llm.policy.limits,
      keyGenerator: (call) => {
        seen.push(call);
        return 'key';
      },
    });
    const send = providerFetch(limiter, { clock, prices: PRICES, fetch: provider.fetch });
    const url = 'http://provider/v1/responses';
    await (await send(url, { method: 'POST', body: JSON.stringify(CALL) })).text();
    const used = async () => usedOf(await limiter.peek(seen[0] as OutgoingCall));
    expect(await used()).toMatchObject({ parallel: 1 });
    provider.isDone = true;
    await (await send(`${url}/resp_1`)).text();
    expect(await used()).toEqual({ parallel: 0, perDay: 210 });
  });
});
