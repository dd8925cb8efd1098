import type { Clock, Duration, Key, Resolver } from '@sluice/core';
import type { BodyRules } from './call/body-rules.js';
import type { LlmCall } from './call/llm-call.js';
import type { ReadCallOptions } from './call/read-call.js';
import type { ProviderName, ProviderProfile } from './dialects/providers.js';
import type { VendorName } from './dialects/vendor.js';
import type { PriceTable } from './money/price-table.js';
import type { Hold } from './plan/hold.js';
import type { LlmPlan } from './plan/llm-plan.js';
import type { ScopeKeys } from './plan/policy-items.js';
import type { UnknownUsage } from './settle/settlement.js';
import type { TokenWeights } from './settle/token-weights.js';

/** A further plan with a key of its own: of an organisation, a project, or the whole service. */
export interface PlanScope<A extends readonly unknown[]> {
  /** The limits, or a function of the request that chooses them. */
  readonly plan: LlmPlan | Resolver<A, LlmPlan>;
  /** Returns the key to count by. With an array, all parts make one compound key. */
  readonly keyGenerator: ScopeKeys<A>;
}

/** The options of `createLlm`. `A` are the arguments of the callbacks: those of the framework, or the subject of a limiter. */
export interface LlmOptions<A extends readonly unknown[]> {
  /**
   * Returns the body of the call, parsed: `(req) => req.body` in Express, Fastify and Nest, `(ctx) => ctx.request.body` in Koa, `(c) => c.req.json()` in Hono. It is
   * called once for each decision, however many limits there are. The body must be parsed before: in Fastify choose
   * `hook: 'preHandler'`.
   *
   * It may also return the JSON as text or bytes, such as `req.rawBody`. A relay then changes only what it has to in this very text, so
   * large numbers and the order of members stay as they are.
   */
  readonly call: Resolver<A, unknown>;
  /**
   * The limits of the caller, or a function of the request that chooses them. Keep plans as constants: a plan object is read once.
   */
  readonly plan: LlmPlan | Resolver<A, LlmPlan>;
  /**
   * Further plans by name, each with its own key. All limits of all plans are decided in one step. Their limits are named after
   * the scope: `org-perMonth`. Default: none.
   */
  readonly scopes?: Readonly<Record<string, PlanScope<A>>>;
  /**
   * Returns the plan of a key, for `llm.spend` and `inspect`, which have no request. Needed there if a plan is a function. `scope` is the
   * name of the scope whose key it is; undefined for that of the caller. Default: the plan has to be passed.
   */
  readonly planOfKey?: (key: Key, scope: string | undefined) => LlmPlan | PromiseLike<LlmPlan>;
  /**
   * Prices of models. They are needed for limits of money, such as `perDay`. With prices, a model that is not listed is refused with 400.
   * Default: none.
   */
  readonly prices?: PriceTable;
  /**
   * Rules for members of the body: `{ service_tier: { force: 'default' }, n: { cap: 4 }, background: 'forbid' }`. A refusal is 400, and
   * names the member. What is forced or capped is what is sent. Default: everything passes that has a price; with `prices`, a call that
   * asks for more than its price lists is refused: a dearer tier, one of several models, an answer in the background, a tool that is
   * billed by its use.
   */
  readonly body?: BodyRules;
  /**
   * Returns the answer of the provider to `GET /v1/files/{id}/content`: the file with the calls of a batch of OpenAI, by its id. It is read
   * before the batch is decided, to know what its calls cost. Check that the file is the caller's. Default: such batches are refused.
   */
  readonly batchFile?: (id: string, ...args: A) => Response | PromiseLike<Response>;
  /** The IANA time zone of calendar days and months. Default: `'UTC'`. */
  readonly timeZone?: string;
  /** How much cached and reasoning tokens count on limits of tokens. Default: `{ cacheRead: 0, cacheWrite: 1, reasoning: 1 }`. */
  readonly tokenWeights?: TokenWeights;
  /**
   * What a call holds until it is settled. `'expected'`: the estimated prompt, and the caller's cap or the expected output.
   * `'ceiling'`: the most that the call can use, so that no limit is ever passed. `relay`, `providerFetch` and the middleware of the `ai`
   * package send the held output as the cap. Default: `{ tokens: 'expected', money: 'ceiling' }`.
   */
  readonly hold?: Hold;
  /**
   * The output tokens of a call without a cap, for each choice. Default: learned, as the 95th percentile of the model's answers
   * without a cap; 1,024 until 20 are known. A limit that holds the ceiling holds the `maxOutput` of the price instead, or 4,096 if
   * that is not known.
   */
  readonly expectedOutput?: number | Resolver<[call: LlmCall], number>;
  /**
   * What a call costs that was sent, and whose provider never stated its usage. `'counted'`: what was counted until the stream broke,
   * and the estimated prompt. `'reserved'`: the same, but at least what was held. Default: money, and what holds the ceiling,
   * `'reserved'`; otherwise `'counted'`. An answer that is no stream comes whole or not at all: without it, at least what was
   * held is charged.
   */
  readonly unknownUsage?: UnknownUsage;
  /**
   * How long a call may make no progress before it is settled as held, or as counted if that is more. Its slot is free then. Default:
   * `'15m'`.
   */
  readonly maxHold?: Duration;
  /**
   * How long a batch waits for somebody who fetches its results, or asks how far it is. It is settled as held then. Default: `'48h'`.
   */
  readonly maxBatchHold?: Duration;
  /**
   * How calls are read: the dialect, the model if it stands in the address, and an exact counter of tokens. Default of the dialect:
   * the end of the request's path, such as `/v1/messages`; or else what the body looks like.
   */
  readonly read?: ReadCallOptions;
  /**
   * What differs from OpenAI where the provider speaks its dialects, or a function of the call. A relay asks streams for their usage,
   * and states a cap, as the provider understands it. Default: `'openai'`.
   */
  readonly provider?: ProviderName | ProviderProfile | ((call: LlmCall) => ProviderName | ProviderProfile);
  /**
   * The header fields for clients that state the limits of a minute: those of the dialect of the call, or always those of one vendor.
   * Google's clients read none. False sends none. Default: `'dialect'`.
   */
  readonly headers?: VendorName | 'dialect' | false;
  /**
   * The bodies of refusals. `'dialect'` (default): as the SDK of the caller reads them, by the dialect of the call; OpenAI's where it is
   * not known. A vendor: always as its SDK reads them. `'problem'`: a problem (RFC 9457) with the member `error`, which the SDKs of
   * OpenAI and Anthropic read. All have the member `limits`.
   */
  readonly errors?: VendorName | 'dialect' | 'problem';
  /**
   * The status if a limit of a day or a month refuses. Default: 429. Clients of the `ai` package retry any 429, but neither 402
   * nor 403.
   */
  readonly budgetStatus?: 429 | 402 | 403;
  /** Whether refusals state the numbers of limits of money. Default: false. */
  readonly showBudget?: boolean;
  /** The clock of dates in answers, and of `maxHold`. Give it the clock of the store in tests. Default: `wallClock`. */
  readonly clock?: Clock;
}
