import { createLimiter, type Limiter } from '@sluice/core';
import { createLlm, type LlmOptions, type LlmPlan, priceTable, usd } from '@sluice/llm';
import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';
import { TIMEOUT } from './contenders/redis/sluice.js';
import { percentilesOf } from './percentiles.js';
import { processorMs } from './processor-time.js';
import { RedisServer } from './redis-server.js';
import { type WorkOfDecision, workOf, workOfDecision } from './redis-work.js';

/** Who makes a call. */
interface Caller {
  readonly user: string;
  readonly key: string;
  readonly team: string;
  readonly organisation: string;
}

/** So many users, each with a key, in a tenth as many teams and a hundredth as many organisations. */
const CALLERS: readonly Caller[] = Array.from({ length: 1_000 }, (_, i) => ({
  user: `user-${i}`,
  key: `key-${i}`,
  team: `team-${i % 100}`,
  organisation: `organisation-${i % 10}`,
}));

const MODEL = 'gpt-5.6';
const BODY = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 };

/** Nobody reaches it. */
const BUDGET: LlmPlan = { perMonth: usd('1000000') };

const COMMON = {
  call: () => BODY,
  prices: priceTable({ [MODEL]: { input: '1', output: '10' } }),
} as const;

const OPTIONS: Readonly<Record<string, LlmOptions<[Caller]>>> = {
  'one budget': { ...COMMON, plan: BUDGET },
  'organisation, team, user, key and model': {
    ...COMMON,
    plan: { ...BUDGET, models: { [MODEL]: BUDGET } },
    scopes: {
      key: { plan: BUDGET, keyGenerator: ({ key }) => key },
      team: { plan: BUDGET, keyGenerator: ({ team }) => team },
      org: { plan: BUDGET, keyGenerator: ({ organisation }) => organisation },
    },
  },
};

/** The row that shows what it costs to know apart what is spent and what is held. */
const WITHOUT_HELD = 'one budget, without the count of what is held';

/** What a decision about budgets cost, and the settlement after it. */
export interface BudgetWork extends WorkOfDecision {
  readonly p50Us: number;
  /** Of this process, for each decision. */
  readonly processorUs: number;
  /** How often the server has read from the connection, for each decision: each time is a round trip. */
  readonly roundTrips: number;
}

/** Calls of models whose budgets are in a Redis, one after another. */
export class ModelBudgets {
  readonly #server: RedisServer;
  readonly #client: Redis;
  readonly #observer: Redis;
  readonly #limiters: ReadonlyMap<string, Limiter<Caller, true>>;
  #asked = 0;

  private constructor(server: RedisServer) {
    this.#server = server;
    this.#client = new Redis(server.port, '127.0.0.1');
    this.#observer = new Redis(server.port, '127.0.0.1');
    const store = new RedisStore({ client: this.#client, timeout: TIMEOUT });
    const limiterOf = (limits: ReturnType<typeof createLlm<[Caller]>>['policy']['limits'], i: number) =>
      createLimiter<Caller, true>({ name: `budgets-${i}`, limits, keyGenerator: ({ user }) => user, store });
    const [one = [], five = []] = Object.values(OPTIONS).map((options) => createLlm(options).policy.limits);
    this.#limiters = new Map([
      ...Object.keys(OPTIONS).map((name, i): [string, Limiter<Caller, true>] => [
        name,
        limiterOf(i === 0 ? one : five, i),
      ]),
      [
        WITHOUT_HELD,
        limiterOf(
          one.filter((item) => !('name' in item && item.name === 'held')),
          2,
        ),
      ],
    ]);
  }

  static async start(): Promise<ModelBudgets> {
    const budgets = new ModelBudgets(await RedisServer.start());
    await budgets.#observer.ping();
    return budgets;
  }

  get names(): readonly string[] {
    return [...this.#limiters.keys()];
  }

  /** Decides for so many milliseconds. */
  async round(name: string, ms: number): Promise<BudgetWork> {
    const limiter = this.#limiters.get(name) as Limiter<Caller, true>;
    const before = await workOf(this.#observer);
    const readsBefore = await this.#reads();
    const startProcessorMs = processorMs();
    const startMs = performance.now();
    const tookMs: number[] = [];
    let nowMs = startMs;
    do {
      const caller = CALLERS[this.#asked % CALLERS.length] as Caller;
      this.#asked += 1;
      const { allowed, source } = await limiter.reserve(caller);
      if (!allowed || source !== 'store')
        throw new Error(`A call was ${allowed ? 'admitted' : 'refused'} by ${source}`);
      const endMs = performance.now();
      tookMs.push(endMs - nowMs);
      nowMs = endMs;
    } while (nowMs - startMs < ms);
    const decisions = tookMs.length;
    const processorUs = (1_000 * (processorMs() - startProcessorMs)) / decisions;
    // The reading that counts them is one of them.
    const reads = (await this.#reads()) - readsBefore - 1;
    const after = await workOf(this.#observer);
    return {
      ...workOfDecision(before, after, decisions),
      p50Us: 1_000 * percentilesOf(tookMs).p50,
      processorUs,
      roundTrips: reads / decisions,
    };
  }

  async end(): Promise<void> {
    this.#client.disconnect();
    this.#observer.disconnect();
    await this.#server.stop();
  }

  async #reads(): Promise<number> {
    const stats = await this.#observer.info('stats');
    return Number(/^total_reads_processed:(\d+)/m.exec(stats)?.[1]);
  }
}
