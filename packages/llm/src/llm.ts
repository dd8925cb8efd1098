import type { Duration, Key, LimitItem, Reservation } from '@sluice/core';
import type { HttpOptions } from '@sluice/core/http';
import type { AnswerOptions } from './answer/policy-options.js';
import type { LlmCall } from './call/llm-call.js';
import type { Meter } from './meter/meter.js';
import type { Amounts, CallRange } from './plan/bound.js';
import type { LlmPlan } from './plan/llm-plan.js';
import type { FetchAnswer } from './relay/collect.js';
import type { NodeExchange, Send, SendForm } from './relay/exchange.js';
import type { AdmittedCall } from './request/decided-call.js';
import type { UsageHandler, UsageOptions } from './spend/page/usage-handler.js';
import type { Spend, SpendQuery } from './spend/spend.js';

/** Limits for calls of language models. `policy` goes into the options of any adapter. */
export interface Llm<A extends readonly unknown[]> {
  /**
   * The limits and the answers. Spread it into the options of an adapter: `rateLimit({ name, store, keyGenerator, ...llm.policy })`.
   * For a limiter without HTTP, pass `limits: llm.policy.limits` to `createLimiter`.
   */
  readonly policy: AnswerOptions<A> & {
    /** One limit for each number of the plan. */
    readonly limits: readonly LimitItem<A>[];
  };
  /**
   * Returns the call that was admitted with a request, and its reservation: by the request of the framework, of Node or of fetch.
   * Undefined if the policy has admitted none.
   */
  callOf(request: object): AdmittedCall | undefined;
  /** Follows a call that you send by yourself. */
  meter(reservation: Reservation<boolean>, call: LlmCall): Meter;
  /**
   * Sends the call of an admitted request, passes the answer on chunk by chunk, and settles the reservation. With a fetch
   * `Request` it resolves with the response to return, otherwise when the answer was written.
   *
   * It aborts the call when the client leaves. A provider's refusal is passed on with its retry hints; other fields of the provider
   * stay behind. If a limit of the call holds the ceiling, it sends the held output as the cap.
   *
   * Relay a request once. To fall back to another provider, call both within `send`.
   *
   * @throws SluiceError `SLUICE_UNSUPPORTED` if no policy with these limits has admitted the request, or it was relayed before;
   * `SLUICE_OPTION` if `exchange` or `send` is wrong
   * @example app.post('/v1/messages', limits, (req, res) => llm.relay({ req, res }, (body, signal) => fetch(url, { body, signal, ...init })));
   */
  relay(exchange: Request, send: Send): Promise<Response>;
  /** The same for a request and a response of Node, or of a framework over Node: it resolves when the answer was written. */
  relay(exchange: NodeExchange, send: Send): Promise<void>;
  /**
   * The same for routes whose body may be a form with files: transcriptions, and edits of images. Let the option `call` return the bytes of the
   * body, for example from `express.raw({ type: 'multipart/form-data', limit: '25mb' })`: that limit is the most that is kept. Send them with
   * the content-type of the request.
   *
   * @throws SluiceError as `relay`
   * @example
   * app.post('/v1/audio/transcriptions', express.raw({ type: 'multipart/form-data', limit: '25mb' }), limits, (req, res) =>
   *   llm.relayForm({ req, res }, (body, signal) =>
   *     fetch(url, { method: 'POST', headers: { ...headers, 'content-type': req.get('content-type') }, body, signal })));
   */
  relayForm(exchange: Request, send: SendForm): Promise<Response>;
  /** The same for a request and a response of Node, or of a framework over Node: it resolves when the answer was written. */
  relayForm(exchange: NodeExchange, send: SendForm): Promise<void>;
  /**
   * Passes on the answer of a call that goes on in the background (`background: true` of OpenAI's responses, with
   * `body: { background: 'allow' }`), which a client fetches by its id. Until then the call keeps what it holds, its slot, too. A final
   * answer settles it by its usage; otherwise it is charged as held when nobody has asked for it for `maxHold`, or when it was made by
   * another process. Check before whether the id is one of the client's.
   *
   * It also passes on what is known of a batch, by the id of the batch, and its results, by that of the batch (Anthropic) or of the file
   * that has them (OpenAI). The results settle the batch, by the usages of its calls. It is charged as held when nobody has asked for
   * it for `maxBatchHold`.
   *
   * @throws SluiceError `SLUICE_OPTION` if an argument is wrong
   * @example app.get('/v1/responses/:id', (req, res) => llm.collect({ req, res }, req.params.id, (signal) => fetch(`${url}/${req.params.id}`, { headers, signal })));
   */
  collect(exchange: Request, id: string, fetchAnswer: FetchAnswer): Promise<Response>;
  /** The same for a request and a response of Node, or of a framework over Node: it resolves when the answer was written. */
  collect(exchange: NodeExchange, id: string, fetchAnswer: FetchAnswer): Promise<void>;
  /**
   * Returns the option that falls back to other models. If the limits refuse a call, each model is tried in order, as one atomic
   * reservation under its own price and limits. The handler then runs with the first that fits: a relay sends that model, the
   * field `x-sluice-model` names it, and the channel `sluice:llm-degraded` reports it.
   *
   * @param models - 1 to 16 models, the best first
   * @throws SluiceError `SLUICE_OPTION` if there are prices, and none is for one of the models
   * @example rateLimit({ name: 'llm', keyGenerator, ...llm.policy, ...llm.degrade(['gpt-5.6-mini']) })
   */
  degrade(models: readonly string[]): Required<Pick<HttpOptions<A>, 'reconsider'>>;
  /**
   * Returns what a key has spent, without a call: of each budget the limit, what was spent, what calls hold that are under way, what is
   * left, and when it is fresh again; and what is used of the other limits. It reads all of it from the store in one step.
   *
   * @param who - the key of the caller; or keys of scopes, and plans that only a request tells
   * @throws SluiceError `SLUICE_UNSUPPORTED` if no policy has these limits yet, or only a request tells the plan; `SLUICE_OPTION`;
   * `SLUICE_KEY` if there is no key; `SLUICE_STORE` if the store does not answer
   * @example const { budgets } = await llm.spend('ann'); // budgets[0].dollars.left === '0.75'
   */
  spend(who: Key | SpendQuery): Promise<Spend>;
  /**
   * Returns a handler that shows clients what they have spent and have left: as a page without script to browsers, and as JSON to all
   * others. It shows the key of the request alone, and works in every framework. Callbacks get the arguments of the handler.
   *
   * @throws SluiceError `SLUICE_OPTION`
   * @example app.get('/usage', authenticate, llm.usage({ keyGenerator: (req) => req.user.id }));
   */
  usage(options: UsageOptions<A>): UsageHandler;
  /**
   * Returns the most that a key can use in any window of this length, calls under way included: `limit + parallel * max(0, most a
   * call may use - least it holds)`. It holds if calls are settled before their slots are free, as `relay` does. Say how many calls may be
   * `lost`, because their process dies or the store does not take their settlement: each adds what it may use above what it holds.
   *
   * What holds the ceiling, as money does by default, is bounded by the limit itself. Otherwise say what a call may use; without it, or
   * without `parallel`, there is no bound, and the result is Infinity.
   *
   * It counts what providers state. If nobody states the usage of a call, what its body only names counts as `read.unseen` says.
   *
   * @throws SluiceError `SLUICE_OPTION` if the plan, the window or the range is wrong
   * @example llm.boundOf(PLANS.free, '1m', { most: { tokens: 200_000 } }).tokens
   */
  boundOf(plan: LlmPlan, window: Duration, range?: CallRange): Amounts;
}
