import { randomInt } from 'node:crypto';
import { type ChargedCall, type LimitedFetch, limitedFetch, readRetryAfter } from '@sluice/client';
import { type Clock, type Duration, type Limiter, SluiceError, wallClock } from '@sluice/core';
import { checkFunction, checkOneOf, checkOptions, warn } from '@sluice/core/http';
import { clockOf, durationMs, optionError } from '@sluice/core/store';
import { LlmCallError } from '../call/call-error.js';
import type { ReadCallOptions } from '../call/read-call.js';
import { checkRead } from '../checked-options.js';
import { createMeter } from '../meter/create-meter.js';
import { endOfFailure } from '../meter/failed-call.js';
import { untilErrorIsSettled } from '../meter/provider-error.js';
import type { PriceTable } from '../money/price-table.js';
import { sentCapOf } from '../request/sent-cap.js';
import { checkedWeights, type TokenWeights } from '../settle/token-weights.js';
import { cappedInit, type OutgoingCall, readOutgoingCall } from './outgoing-call.js';
import { OutgoingSettlement } from './outgoing-settlement.js';
import { ownRefusal } from './own-refusal.js';
import { ProviderStates } from './provider-state.js';
import { formatOfRequest, isFreeRequest, requestLine } from './request-kind.js';

/** The options of `providerFetch`. */
export interface ProviderFetchOptions {
  /** The longest time that a call waits for its turn. A wait that would be longer does not begin. Default: `'60s'`. */
  readonly maxWait?: Duration;
  /** Prices of models, to settle limits of money. Default: such limits keep what they hold. */
  readonly prices?: PriceTable;
  /** How much cached and reasoning tokens count. Default: `{ cacheRead: 0, cacheWrite: 1, reasoning: 1 }`. */
  readonly tokenWeights?: TokenWeights;
  /**
   * How calls are read: the dialect, the model, and an exact counter of tokens. With a dialect, every POST is a call of it. Default: by
   * address and body.
   */
  readonly read?: ReadCallOptions;
  /**
   * What happens to a request that is neither a call of a model that is known, nor known to cost nothing. `'refuse'` (default): it
   * rejects with `SLUICE_LLM_CALL`, and is not sent. `'count'`: it is counted as a completion whose prompt is the text of its body, with
   * the `model` and the caps that stand there, and is settled as the answer states. Either way the process is warned once.
   */
  readonly unrecognized?: 'refuse' | 'count';
  /** How long an answer may make no progress before its call is settled as held. Default: `'15m'`. */
  readonly maxHold?: Duration;
  /** What sends the calls. Default: the global `fetch`, as it is at the time of the call. */
  readonly fetch?: typeof fetch;
  /** The clock of pauses and of `maxHold`, for tests: that of the store. Default: `wallClock`. */
  readonly clock?: Clock;
  /** Returns numbers from 0 to below 1, for tests. Default: random numbers. */
  readonly random?: () => number;
}

const OPTIONS = [
  'maxWait',
  'prices',
  'tokenWeights',
  'read',
  'unrecognized',
  'maxHold',
  'fetch',
  'clock',
  'random',
] as const;

/** Statuses by which a provider asks all clients to stop. */
const STOPPING: ReadonlySet<number> = new Set([429, 503, 529]);

/** Stops are lengthened by up to this part, so that clients do not all come back at once. */
const JITTER = 0.1;

/**
 * Makes a `fetch` for the SDKs of language models that stays below the limits of a provider. A call waits until the limiter
 * allows it, and is settled with the tokens that the answer states. It is never sent twice: SDKs try again by themselves, and
 * every try asks the limiter.
 *
 * - With `hold: 'ceiling'`, a call asks for no more output than it holds, as from a relay. A request that is only counted asks as it was given.
 * - If the provider refuses a call, tokens and money are given back. The request stays counted, because providers count it. A call
 *   that was not sent gives its request back, too. A call that was sent and got no answer is charged.
 * - After 429, 503 and 529, all processes that share the store stop: for the time that the provider states, else until the
 *   limit that is used up is full again, else for a second, and twice as long with each refusal in a row.
 * - A call whose turn would come after `maxWait` is not sent. It gets a 429 with `x-should-retry: false`, of which SDKs make
 *   their rate limit error.
 * - Requests of the APIs of OpenAI and Anthropic that run no model, such as `GET /v1/models`, are sent without limits. Any other
 *   request is refused, or counted as `unrecognized` says.
 *
 * @param limiter - decides about `OutgoingCall`s. Its limits are those of `createLlm`, or items with a `quotaUnit`
 * (`'tokens'`, `'input-tokens'`, `'output-tokens'`, `'micro-dollars'`). Its key must be that of the call
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const plan = { rpm: 500, tpm: 200_000, parallel: 50 };
 * const llm = createLlm<[OutgoingCall]>({ call: ({ body }) => body, plan: (call) => call.within(plan) });
 * const limiter = createLimiter<OutgoingCall>({ name: 'openai', store, keyGenerator: ({ key }) => key, limits: llm.policy.limits });
 * const openai = new OpenAI({ fetch: providerFetch(limiter, { maxWait: '30s' }) });
 */
export function providerFetch(limiter: Limiter<OutgoingCall>, options: ProviderFetchOptions = {}): LimitedFetch {
  checkOptions(options, OPTIONS);
  if (typeof limiter?.wait !== 'function')
    throw optionError('limiter', 'must be a limiter, as createLimiter() returns it', limiter);
  const { read = {}, prices, maxWait = '60s', fetch: own, random = randomFraction } = options;
  checkRead(read);
  checkFunction(random, 'random');
  const unrecognized = checkOneOf(options.unrecognized ?? 'refuse', 'unrecognized', ['refuse', 'count'] as const);
  if (prices !== undefined && typeof prices?.cost !== 'function')
    throw optionError('prices', 'must be a table, like priceTable({ ... })', prices);
  const clock = options.clock === undefined ? wallClock : clockOf(options.clock);
  const maxHoldMs = durationMs(options.maxHold ?? '15m', 'maxHold');
  const settlement = new OutgoingSettlement(checkedWeights(options.tokenWeights), prices);
  const states = new ProviderStates();
  const meetUnrecognized = meeting(unrecognized);

  const stop = async ({ key }: OutgoingCall, ms: number): Promise<void> => {
    try {
      await limiter.block(key, Math.ceil(ms * (1 + JITTER * random())));
    } catch {
      // A store that fails has published it. The next refusal stops the processes again.
    }
  };

  const charge = async ({
    subject,
    reservation,
    response,
    error,
    advice,
  }: ChargedCall<OutgoingCall>): Promise<Response | undefined> => {
    const state = states.of(subject.key);
    state.stated.learn(advice);
    settlement.learn(reservation.verdicts);
    const meter = createMeter({
      reservation,
      call: subject.call,
      settle: sentCapOf(subject) === undefined ? settlement.settle : settlement.settleCeiling,
      clock,
      maxHoldMs,
      onEnd: (_, stated) => {
        if (response?.ok && isOverload(stated)) void stop(subject, state.stopMs([]));
      },
    });
    if (!response) {
      await meter.end(endOfFailure(error));
      return undefined;
    }
    const answer = meter.response(response);
    if (response.ok) state.succeeded();
    const isUntimed = STOPPING.has(response.status) && !readRetryAfter(response.headers, clock.now());
    if (isUntimed) await stop(subject, state.stopMs(advice));
    await untilErrorIsSettled(response, meter);
    return answer;
  };

  const limited = limitedFetch<OutgoingCall>({
    limiter,
    subject: async (input, init) => {
      const format = formatOfRequest(input, init, read.format);
      if (format === undefined) meetUnrecognized(requestLine(input, init));
      const call = await readOutgoingCall(input, init, format, read);
      return { ...call, within: (plan) => states.of(call.key).stated.within(plan) };
    },
    key: ({ key }) => key,
    prepare: (call, input, init) => {
      const cap = sentCapOf(call);
      // Nobody knows how a request asks for less that is not recognized.
      if (cap === undefined || formatOfRequest(input, init, read.format) === undefined) return init;
      return cappedInit(call, input, init, cap);
    },
    charge,
    retry: false,
    maxWait,
    clock,
    random,
    ...(own && { fetch: own }),
  });

  return async (input, init = {}) => {
    if (isFreeRequest(input, init)) return (own ?? globalThis.fetch)(input, init);
    try {
      return await limited(input, init);
    } catch (error) {
      if (error instanceof SluiceError && error.code === 'SLUICE_REFUSED')
        return ownRefusal(error, formatOfRequest(input, init, read.format));
      throw error;
    }
  };
}

/**
 * Returns the function that is called for each request that is not recognized. It warns once, and throws if such requests are
 * refused.
 */
function meeting(unrecognized: 'refuse' | 'count'): (line: string) => void {
  const rule = 'is no call of a model that providerFetch knows';
  let hasWarned = false;
  return (line) => {
    if (!hasWarned) {
      hasWarned = true;
      const choice = unrecognized === 'count' ? 'is counted as a completion of its body' : 'was not sent';
      warn('SLUICE_LLM_UNRECOGNIZED', `${line} ${rule}, so it ${choice}`);
    }
    if (unrecognized === 'refuse') throw new LlmCallError('url', `${rule}, so it was not sent`, line);
  };
}

/** Whether an error within an answer asks clients to stop. */
function isOverload(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { type, code } = error as { readonly type?: unknown; readonly code?: unknown };
  return [type, code].some((name) => typeof name === 'string' && /overloaded|rate_limit/.test(name));
}

function randomFraction(): number {
  const steps = 2 ** 32;
  return randomInt(steps) / steps;
}
