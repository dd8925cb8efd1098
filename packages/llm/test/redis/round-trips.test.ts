import { describe, expect, it } from '@jest/globals';
import { createLimiter, type Reservation } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { Redis } from 'ioredis';
import { createLlm, type LlmPlan, priceTable, readCall, usd } from '../../src/index.js';

let observer: Redis;
let port: number;
withRedis((client, server) => {
  observer = client;
  port = server.port;
});

interface Caller {
  readonly user: string;
  readonly key: string;
  readonly team: string;
  readonly organisation: string;
}

const ANN: Caller = { user: 'ann', key: 'k1', team: 'search', organisation: 'acme' };
const MODEL = 'gpt';
const BODY = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1000 };
/** A call costs a cent: so many tokens of its output, and none of its prompt. */
const PRICES = priceTable({ [MODEL]: { input: '0', output: '10' } });
const BUDGETS = ['organisation', 'team', 'user', 'key', 'model'] as const;
/** What such a call has used. */
const A_CENT = { input: 2, cacheRead: 0, cacheWrite: 0, output: 1000, reasoning: 0, complete: true };
/** So many calls fit into three cents. */
const CENTS = 3;
const AMPLE = usd('10');

/** A limiter of five budgets, of which one has three cents. */
function limiterWith(small: (typeof BUDGETS)[number], store: RedisStore) {
  const budgetOf = (name: (typeof BUDGETS)[number]): LlmPlan => ({
    perLifetime: name === small ? usd('0.03') : AMPLE,
  });
  const llm = createLlm<[Caller]>({
    call: () => BODY,
    prices: PRICES,
    plan: { ...budgetOf('user'), models: { [MODEL]: budgetOf('model') } },
    scopes: {
      key: { plan: budgetOf('key'), keyGenerator: ({ key }) => key },
      team: { plan: budgetOf('team'), keyGenerator: ({ team }) => team },
      org: { plan: budgetOf('organisation'), keyGenerator: ({ organisation }) => organisation },
    },
  });
  const limiter = createLimiter<Caller, true>({
    name: `of-${small}`,
    store,
    limits: llm.policy.limits,
    keyGenerator: ({ user }) => user,
  });
  return { llm, limiter };
}

/** How often the server has read from its connections: each command that is sent alone is read once. */
async function roundTripsOf(work: () => Promise<unknown>): Promise<number> {
  const reads = async (): Promise<number> =>
    Number(/^total_reads_processed:(\d+)/m.exec(await observer.info('stats'))?.[1]);
  const before = await reads();
  await work();
  // The reading itself is one.
  return (await reads()) - before - 1;
}

describe('Budgets of an organisation, a team, a user, a key and a model', () => {
  it.each(BUDGETS)(
    'are decided in one round trip, also if that of the %s refuses, and settled in another',
    async (small) => {
      const client = new Redis(port);
      try {
        const { llm, limiter } = limiterWith(small, new RedisStore({ client }));
        // The first decision and the first correction send scripts.
        await (await limiter.reserve(ANN)).cancel();
        for (let i = 0; i < CENTS; i += 1) {
          const reserved: Reservation<true>[] = [];
          expect(await roundTripsOf(async () => reserved.push(await limiter.reserve(ANN)))).toBe(1);
          const [reservation] = reserved as [Reservation<true>];
          expect(reservation.allowed).toBe(true);
          const meter = llm.meter(reservation, readCall(BODY));
          expect(await roundTripsOf(() => meter.settle(A_CENT))).toBe(1);
        }
        const trips = await roundTripsOf(async () => {
          const { allowed, verdicts } = await limiter.reserve(ANN);
          expect([allowed, verdicts.filter((verdict) => !verdict.allowed).length]).toEqual([false, 1]);
        });
        expect(trips).toBe(1);
      } finally {
        client.disconnect();
      }
    },
  );
});
