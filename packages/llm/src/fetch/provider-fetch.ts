import { type ChargedCall, type LimitedFetch, limitedFetch, readRetryAfter } from '@sluice/client';
import { type Limiter, SluiceError } from '@sluice/core';
import { dialectAt, providerOfHost } from '../dialects/providers.js';
import { BackgroundCalls } from '../meter/background-calls.js';
import { createMeter } from '../meter/create-meter.js';
import { endOfFailure } from '../meter/failed-call.js';
import { untilErrorIsSettled } from '../meter/provider-error.js';
import { lastDecided } from '../request/last-decided.js';
import { changedInit, type OutgoingCall, readOutgoingCall } from './outgoing-call.js';
import { OutgoingSettlement } from './outgoing-settlement.js';
import { ownRefusal } from './own-refusal.js';
import { checkedFetchOptions, type ProviderFetchOptions } from './provider-fetch-options.js';
import { ProviderStates } from './provider-state.js';
import { addressOfRequest, isFreeRequest, requestLine, storedResponseOf } from './request-kind.js';
import { unrecognizedRequests } from './unrecognized-requests.js';

/** Statuses by which a provider asks all clients to stop. */
const STOPPING: ReadonlySet<number> = new Set([429, 503, 529]);

/** Stops are lengthened by up to this part, so that clients do not all come back at once. */
const JITTER = 0.1;

/**
 * Makes a `fetch` for the SDKs of language models that stays below the limits of a provider. A call waits until the limiter
 * allows it, and is settled with the tokens that the answer states. It is never sent twice: SDKs try again by themselves, and
 * every try asks the limiter.
 *
 * - If a limit holds the ceiling, a call asks for no more output than it holds, as from a relay. A request that is only counted asks as it was
 *   given.
 * - If the provider refuses a call, tokens and money are given back. The request stays counted, because providers count it. A call
 *   that was not sent gives its request back, too. A call that was sent and got no answer is charged.
 * - After 429, 503 and 529, all processes that share the store stop: for the time that the provider states, else until the
 *   limit that is used up is full again, else for a second, and twice as long with each refusal in a row.
 * - A call whose turn would come after `maxWait` is not sent. It gets a 429 with `x-should-retry: false`, of which SDKs make
 *   their rate limit error.
 * - A call that the `breaker` keeps from a provider that does not answer, or refuses most calls, is not sent either. It gets a 503 with
 *   `x-should-retry: false`.
 * - Requests of the APIs of providers that run no model, such as `GET /v1/models`, are sent without limits. Any other
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
  const checked = checkedFetchOptions(limiter, options);
  const { read, prices, weights, maxWait, maxHoldMs, clock, random, fetch: own, provider } = checked;
  const settlement = new OutgoingSettlement(weights, prices);
  const states = new ProviderStates();
  const background = new BackgroundCalls();
  const meetUnrecognized = unrecognizedRequests(checked.unrecognized);

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
      settle: settlement.of(lastDecided(subject)?.settling),
      clock,
      maxHoldMs,
      background,
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
      const address = addressOfRequest(input, init, read.format);
      if (address === undefined) meetUnrecognized(requestLine(input, init));
      const call = await readOutgoingCall(input, init, address, read);
      return { ...call, within: (plan) => states.of(call.key).stated.within(plan) };
    },
    key: ({ key }) => key,
    prepare: (call, input, init) => {
      const { sentCap: cap, ruled = [] } = lastDecided(call) ?? {};
      // Nobody knows how a request asks for less that is not recognized.
      if ((cap === undefined && ruled.length === 0) || addressOfRequest(input, init, read.format) === undefined)
        return init;
      const dialect = dialectAt(call.call.format, provider ?? providerOfHost(new URL(call.url).hostname));
      return changedInit(call, input, init, { cap, dialect, ruled });
    },
    charge,
    retry: false,
    maxWait,
    clock,
    random,
    ...(checked.breaker !== undefined && { breaker: checked.breaker }),
    ...(own && { fetch: own }),
  });

  return async (input, init = {}) => {
    if (isFreeRequest(input, init)) {
      const answer = await (own ?? globalThis.fetch)(input, init);
      const id = storedResponseOf(input);
      return id === undefined ? answer : background.collect(id, answer);
    }
    try {
      return await limited(input, init);
    } catch (error) {
      if (error instanceof SluiceError && (error.code === 'SLUICE_REFUSED' || error.code === 'SLUICE_UNAVAILABLE'))
        return ownRefusal(error, addressOfRequest(input, init, read.format)?.format);
      throw error;
    }
  };
}

/** Whether an error within an answer asks clients to stop. */
function isOverload(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { type, code } = error as { readonly type?: unknown; readonly code?: unknown };
  return [type, code].some(
    (name) => typeof name === 'string' && /overloaded|rate_limit|throttling|unavailable/i.test(name),
  );
}
