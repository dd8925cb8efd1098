import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { rateLimit } from '@sluice/hono';
import { type Context, Hono } from 'hono';
import { createLlm, type LlmOptions, priceTable } from '../../src/index.js';
import { createFakeProvider, type FakeAnswer } from '../../src/testing/index.js';

/** A token of the prompt costs a micro-dollar, and one of the output ten; in a batch the half, and more for a long prompt. */
export const PRICES = priceTable({
  m: {
    input: '1',
    output: '10',
    maxOutput: 1000,
    tiers: { batch: { input: '0.5', output: '5', above: { inputTokens: 1000, input: '1', output: '7.5' } } },
  },
  undiscounted: { input: '1', output: '10', maxOutput: 1000 },
  unknown: { input: '1', output: '10' },
});

export const ANSWER: FakeAnswer = { input: 13, output: 40 };

/** A gateway that offers batches of OpenAI and Anthropic, over a fake provider. */
export async function batchGateway(options: Partial<LlmOptions<[Context]>> = {}) {
  const clock = new ManualClock();
  const provider = await createFakeProvider({ answer: ANSWER, clock });
  const files: string[] = [];
  const llm = createLlm<[Context]>({
    call: (c) => c.req.text(),
    plan: { perDay: 1_000_000, parallel: 1 },
    prices: PRICES,
    batchFile: (id) => {
      files.push(id);
      return fetch(`${provider.url}/v1/files/${id}/content`);
    },
    clock,
    ...options,
  });
  const store = new MemoryStore({ clock });
  const sent: string[] = [];
  const refusing: { status?: number } = {};
  const policy = rateLimit({ name: 'llm', store, keyGenerator: () => 'ann', ...llm.policy });
  const app = new Hono();
  app.post('/v1/files', async (c) =>
    fetch(`${provider.url}/v1/files`, {
      method: 'POST',
      headers: { 'content-type': c.req.header('content-type') ?? '' },
      body: await c.req.arrayBuffer(),
    }),
  );
  for (const path of ['/v1/batches', '/v1/messages/batches']) {
    app.post(path, policy, (c) =>
      llm.relay(c.req.raw, (body) => {
        sent.push(body);
        if (refusing.status !== undefined) return Promise.resolve(Response.json({}, { status: refusing.status }));
        return fetch(provider.url + path, { method: 'POST', body });
      }),
    );
  }
  for (const path of ['/v1/batches/:id', '/v1/files/:id/content', '/v1/messages/batches/:id/:results?']) {
    app.get(path, (c) => llm.collect(c.req.raw, c.req.param('id') as string, () => fetch(provider.url + c.req.path)));
  }
  const send: typeof fetch = async (input, init) => app.fetch(new Request(input, init));
  return {
    llm,
    provider,
    clock,
    sent,
    /** With a status, the provider refuses every batch. */
    refusing,
    files,
    fetch: send,
    /** What the provider bills for all that it has answered. */
    billed: (model = 'm') => provider.calls.reduce((sum, { billed }) => sum + PRICES.cost(model, billed), 0),
    /** The first budget of the caller, in micro-dollars. */
    async spent() {
      const { budgets } = await llm.spend('ann');
      return { spent: budgets[0]?.spent, held: budgets[0]?.held };
    },
    async close() {
      store.close();
      await provider.close();
    },
  };
}

export type BatchGateway = Awaited<ReturnType<typeof batchGateway>>;

/** A call of a batch. */
export interface Asked {
  readonly model?: string;
  readonly max_tokens?: number;
  readonly [member: string]: unknown;
}

const messages = [{ role: 'user', content: 'Hello' }];

export const bodyOf = (asked: Asked): object => ({ model: 'm', messages, max_tokens: 100, ...asked });

/** Makes a batch of Anthropic. */
export async function postMessages(gateway: BatchGateway, asked: readonly Asked[]): Promise<Response> {
  const requests = asked.map((one, i) => ({ custom_id: `call-${i}`, params: bodyOf(one) }));
  return gateway.fetch('http://gateway/v1/messages/batches', { method: 'POST', body: JSON.stringify({ requests }) });
}

/** Uploads lines, and makes a batch of OpenAI of them. */
export async function postLines(
  gateway: BatchGateway,
  lines: readonly unknown[],
  stated: object = {},
): Promise<Response> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set(
    'file',
    new Blob([lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')]),
    'calls.jsonl',
  );
  const uploaded = await gateway.fetch('http://gateway/v1/files', { method: 'POST', body: form });
  const { id } = (await uploaded.json()) as { id: string };
  const body = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h', ...stated };
  return gateway.fetch('http://gateway/v1/batches', { method: 'POST', body: JSON.stringify(body) });
}

export const lineOf = (asked: Asked, i = 0, url = '/v1/chat/completions'): object => ({
  custom_id: `call-${i}`,
  method: 'POST',
  url,
  body: bodyOf(asked),
});
