import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLimiter, type Limiter, type Reservation } from '@sluice/core';
import { rateLimit } from '@sluice/hono';
import { RedisStore } from '@sluice/redis';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { until } from '@sluice/test-kit/until';
import { type Context, Hono } from 'hono';
import { Redis } from 'ioredis';
import { type AiCall, limitMiddleware } from '../../src/ai-sdk/index.js';
import { createLlm, type LlmOptions, priceTable, usd } from '../../src/index.js';

let server: RedisServer;
withRedis((_, given) => {
  server = given;
});

beforeAll(() => {
  // Each process is warned that its store fails.
  jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
});

/** A call costs a cent: so many tokens of its output, and none of its prompt. */
const CENT = { model: 'gpt', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1000 };
const prices = priceTable({ gpt: { input: '0', output: '10' } });
const CALLS = 10;
const PLAN = { perDay: usd('0.10') };

/** A zone where it is noon, so that no day ends during the test. */
const offset = 12 - new Date().getUTCHours();
const timeZone = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;

const GATEWAYS = 3;

/** One of several gateways that share a budget. Each has a connection and a store of its own, as a process has. */
interface Gateway {
  /** Asks for a call, and returns whether it may be sent, and who decided. */
  ask(): Promise<Pick<Reservation<boolean>, 'allowed' | 'source'>>;
  close(): Promise<void>;
}

type Start = (store: RedisStore) => Gateway['ask'];

const llmOf = <A extends readonly unknown[]>(call: LlmOptions<A>['call']) =>
  createLlm<A>({ call, plan: PLAN, prices, timeZone, hold: 'ceiling' });

const INTEGRATIONS: readonly (readonly [name: string, start: Start])[] = [
  [
    'a limiter',
    (store) => {
      const llm = llmOf<[typeof CENT]>((body) => body);
      const limiter = createLimiter({ name: 'llm', store, keyGenerator: () => 'ann', limits: llm.policy.limits });
      return async () => limiter.reserve(CENT);
    },
  ],
  [
    'the policy of an HTTP framework',
    (store) => {
      const llm = llmOf<[Context]>((c) => c.req.json());
      const seen: Pick<Reservation<boolean>, 'allowed' | 'source'>[] = [];
      const policy = rateLimit({
        name: 'llm',
        store,
        keyGenerator: () => 'ann',
        ...llm.policy,
        onDecision: (_c, decision) => seen.push(decision),
      });
      const app = new Hono();
      app.post('/v1/chat/completions', policy, (c) => c.text('sent'));
      return async () => {
        const answer = await app.request('/v1/chat/completions', { method: 'POST', body: JSON.stringify(CENT) });
        const source = seen.pop()?.source ?? 'store';
        // A budget that nobody can look at is no refusal of the caller.
        if (source === 'deny') expect(answer.status).toBe(503);
        return { allowed: answer.status === 200, source };
      };
    },
  ],
  [
    'the middleware of the ai package',
    (store) => {
      const llm = llmOf<[AiCall]>(() => CENT);
      const limiter: Limiter<AiCall, true> = createLimiter({
        name: 'llm',
        store,
        keyGenerator: () => 'ann',
        limits: llm.policy.limits,
      });
      return async () => {
        let reserved: Reservation<boolean> | undefined;
        const reserve = async (call: AiCall) => {
          reserved = await limiter.reserve(call);
          return reserved;
        };
        const { name, wait } = limiter;
        const middleware = limitMiddleware({ llm, limiter: { name, wait, reserve } as unknown as Limiter<AiCall> });
        let isSent = false;
        const doGenerate = async () => {
          isSent = true;
          throw new Error('nobody answers');
        };
        const operation = {
          doGenerate,
          params: { prompt: [] },
          model: { provider: 'test', modelId: 'gpt', doGenerate },
        };
        await middleware.wrapGenerate(operation).catch(() => {});
        return { allowed: isSent, source: reserved?.source ?? 'store' };
      };
    },
  ],
];

const gateways: Gateway[] = [];
let prefixes = 0;

beforeEach(async () => {
  prefixes += 1;
});
afterEach(async () => {
  await server.thaw();
  for (const gateway of gateways.splice(0)) await gateway.close();
});

async function start(begin: Start, isReady = true): Promise<void> {
  for (let i = 0; i < GATEWAYS; i += 1) {
    const client = new Redis({ port: server.port, host: '127.0.0.1' });
    client.on('error', () => {});
    const store = new RedisStore({ client, prefix: `closed-${process.pid}-${prefixes}:` });
    gateways.push({
      ask: begin(store),
      async close() {
        await store.close();
        client.disconnect();
      },
    });
    if (isReady) await store.ready({ timeout: '1m' });
  }
}

/** Asks at every gateway, so often each. Returns who decided, and how many were admitted. */
async function askAll(times: number): Promise<{ readonly admitted: number; readonly sources: ReadonlySet<string> }> {
  const answers = await Promise.all(gateways.flatMap(({ ask }) => Array.from({ length: times }, ask)));
  return {
    admitted: answers.filter(({ allowed }) => allowed).length,
    sources: new Set(answers.map(({ source }) => source)),
  };
}

/** Asks until every gateway has an answer of Redis again. Returns how many calls were admitted meanwhile. */
async function untilBack(): Promise<number> {
  let admitted = 0;
  for (const { ask } of gateways) {
    await until(async () => {
      const { allowed, source } = await ask();
      if (allowed) admitted += 1;
      return source === 'store';
    }, 50);
  }
  return admitted;
}

/** Keeps Redis busy: it answers nothing for `busyMs`, again and again. Returns the function that ends it. */
function keepBusy(busyMs: number): () => Promise<void> {
  const client = new Redis({ port: server.port, host: '127.0.0.1' });
  const spin = `
    local function now() local t = redis.call('TIME') return t[1] * 1000 + t[2] / 1000 end
    local untilMs = now() + ${busyMs}
    while now() < untilMs do end`;
  let isOver = false;
  const spinning = (async () => {
    while (!isOver) await client.eval(spin, 0);
  })();
  return async () => {
    isOver = true;
    await spinning;
    client.disconnect();
  };
}

/** What Redis admitted too late for its gateway, which was busy with something else, stays charged, and is not sent. */
function expectSpent(admitted: number): void {
  expect(admitted).toBeLessThanOrEqual(CALLS);
  expect(admitted).toBeGreaterThan(GATEWAYS);
}

describe.each(INTEGRATIONS)('Three gateways with ten cents a day, by %s', (_name, begin) => {
  it('spend ten cents and no more, if Redis freezes', async () => {
    await start(begin);
    let admitted = (await askAll(1)).admitted;
    expect(admitted).toBe(GATEWAYS);
    await server.freeze();
    expect(await askAll(7)).toEqual({ admitted: 0, sources: new Set(['deny']) });
    await server.thaw();
    admitted += await untilBack();
    admitted += (await askAll(7)).admitted;
    expectSpent(admitted);
  });

  it('spend ten cents and no more, if Redis is cold: it comes up while they ask, and knows no script', async () => {
    await server.kill();
    await start(begin, false);
    expect(await askAll(2)).toEqual({ admitted: 0, sources: new Set(['deny']) });
    await server.run();
    let admitted = await untilBack();
    admitted += (await askAll(7)).admitted;
    expectSpent(admitted);
  });

  it('spend ten cents and no more, if Redis is busy, and wait for it', async () => {
    await start(begin);
    let admitted = (await askAll(1)).admitted;
    const end = keepBusy(120);
    const sources = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      const asked = await askAll(2);
      admitted += asked.admitted;
      for (const source of asked.sources) sources.add(source);
    }
    await end();
    expect(sources).toContain('store');
    expect(sources).not.toContain('local');
    admitted += await untilBack();
    admitted += (await askAll(7)).admitted;
    expectSpent(admitted);
  });
});

it('A plan without money counts in each process while Redis fails, as any policy', async () => {
  const llm = createLlm<[typeof CENT]>({ call: (body) => body, plan: { rpm: 100, tpm: 100_000 }, prices });
  await start((store) => {
    const limiter = createLimiter({ name: 'llm', store, keyGenerator: () => 'ann', limits: llm.policy.limits });
    return async () => limiter.reserve(CENT);
  });
  await askAll(1);
  await server.freeze();
  expect((await askAll(1)).sources).toEqual(new Set(['local']));
});
