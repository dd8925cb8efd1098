import type { Clock, Key, Limiter, Reservation } from '@sluice/core';
import { checkFunction, checkOptions, clockOf, optionError } from '@sluice/core/values';
import { maxWaitOf } from './call-options.js';
import { createClient } from './client.js';
import { CLIENT_OPTIONS, type ClientOptions, type CommonOptions, commonSettings } from './client-options.js';
import { ClientEngine, type EngineExchange } from './engine/client-engine.js';
import type { Exchange, Sent } from './engine/exchange.js';
import { discardResponse } from './fetch/discard-response.js';
import { type FetchInput, fetchCall, type LimitedRequestInit, withLastingFields } from './fetch/fetch-call.js';
import { type RefusalInBody, refusalInBody } from './fetch/refusal-in-body.js';
import { watchedResponse } from './fetch/watched-response.js';
import type { Advice } from './headers/advice.js';
import type { ConcurrencyState } from './limits/adaptive-concurrency.js';
import { type GivenGrant, GivenLimiter } from './limits/given-limiter.js';

/** A `fetch` that stays within limits. It can stand wherever a `fetch` is expected. */
export type LimitedFetch = (input: FetchInput, init?: LimitedRequestInit) => Promise<Response>;

/** A limited fetch with a limiter of its own. */
export interface LearningFetch extends LimitedFetch {
  /**
   * Lets the calls of a key be sent again, in all processes, after a server asked for a stop that you know to be over.
   * Returns whether the key was stopped. Others may notice it a second later. Rejects if the store fails.
   *
   * @param key - as the option `key` returns it. The default key of requests without credentials is the origin of their URL
   * @example await api.unblock('https://api.example.com');
   */
  unblock(key: Key): Promise<boolean>;
  /**
   * Forgets everything about a key: its stop, the limits that the server has stated to this process, and what was counted, in the
   * store as well. Use it after a server has stated something wrong. Returns whether there was anything. Other processes keep
   * the limits that they have heard, and count them from 0. Rejects if the store fails.
   *
   * @param key - as for `unblock`
   * @example await api.forget('https://api.example.com');
   */
  forget(key: Key): Promise<boolean>;
  /**
   * Returns the adaptive concurrency of a key as this process sees it; undefined if the key was not called, or if the
   * option `concurrency` is not adaptive.
   *
   * @param key - as for `unblock`
   * @example api.concurrency('https://api.example.com'); // { limit: 12, inFlight: 12, waiting: 3 }
   */
  concurrency(key: Key): ConcurrencyState | undefined;
}

/** The options of `limitedFetch`. */
export interface LimitedFetchOptions extends ClientOptions {
  /** What sends the requests. Default: the global `fetch`, as it is at the time of the call. */
  fetch?: typeof fetch;
}

/** A call of a limiter of your own that has its result: an answer or an error. */
export interface ChargedCall<Subject> {
  /** What the limiter counted the call by. */
  readonly subject: Subject;
  /** The reservation of the call. Settle or cancel it. */
  readonly reservation: Reservation<boolean>;
  /** The answer, with its body unread. */
  readonly response?: Response;
  /** Why there is no answer. */
  readonly error?: unknown;
  /** What the answer states about limits. */
  readonly advice: readonly Advice[];
}

/** The options of `limitedFetch` over a limiter of your own. */
export interface GivenLimiterOptions<Subject> extends CommonOptions {
  /** Admits the calls. What it counts, and by which keys, is its own business. */
  limiter: Limiter<Subject>;
  /** Returns the subject of a call for the limiter. */
  subject: (input: FetchInput, init: RequestInit) => Subject | Promise<Subject>;
  /** Returns the key to block in all processes when the server asks them to stop. */
  key: (subject: Subject) => Key;
  /** Returns what to send for an admitted call in place of its `init`. Default: the `init` as it was given. */
  prepare?: (subject: Subject, input: FetchInput, init: RequestInit) => RequestInit;
  /**
   * Called once with the result of each call that was sent, before the call resolves. It settles the reservation, now or
   * when the body has ended. It may return a response in place of the answer. Default: what the limiter has charged
   * stays, and slots are freed when the body has ended.
   */
  charge?: (call: ChargedCall<Subject>) => Response | undefined | Promise<Response | undefined>;
  /** The clock of pauses, for tests. Default: the clock of the system. */
  clock?: Clock;
  /** What sends the requests. Default: the global `fetch`, as it is at the time of the call. */
  fetch?: typeof fetch;
}

/**
 * Makes a `fetch` that stays below the limits of the servers it calls. It asks a limiter, shared by all processes with the
 * same store, before it sends. It learns the limits from answers. When a server asks to stop, all processes stop.
 *
 * A call whose turn would come after `maxWait` rejects with `SLUICE_REFUSED`, and was not sent. If the server itself
 * refused, and no retry fits into `maxWait`, the call resolves with that answer at once. While the server does not answer, or refuses most
 * requests for its load, calls reject with `SLUICE_UNAVAILABLE`, and are not sent. An abort of the signal ends every wait.
 *
 * @throws SluiceError `SLUICE_OPTION` if an option is wrong; `SLUICE_DUPLICATE_NAME` if the store has another policy with
 * this name
 * @example
 * const api = limitedFetch({ name: 'github', store });
 * const response = await api('https://api.github.com/user', { headers: { authorization: `Bearer ${token}` } });
 */
export function limitedFetch(options?: LimitedFetchOptions): LearningFetch;
/** Makes a `fetch` that asks a limiter of your own before it sends. Use it for limits that count more than requests. */
export function limitedFetch<Subject>(options: GivenLimiterOptions<Subject>): LimitedFetch;
export function limitedFetch<Subject>(options: LimitedFetchOptions | GivenLimiterOptions<Subject> = {}): LimitedFetch {
  return typeof options === 'object' && options !== null && 'limiter' in options
    ? overGivenLimiter(options)
    : overOwnLimiter(options);
}

function overOwnLimiter(options: LimitedFetchOptions): LearningFetch {
  checkOptions(options, [...CLIENT_OPTIONS, 'fetch']);
  const { run, ...verbs } = createClient(options);
  return Object.assign(
    fetchOver(options.fetch, (exchange) => run(exchange)),
    verbs,
  );
}

function overGivenLimiter<Subject>(options: GivenLimiterOptions<Subject>): LimitedFetch {
  checkOptions(options, [
    'limiter',
    'subject',
    'key',
    'prepare',
    'charge',
    'clock',
    'fetch',
    'retry',
    'breaker',
    'maxWait',
    'random',
  ]);
  const { limiter, subject, key, prepare, charge } = options;
  if (typeof limiter?.wait !== 'function')
    throw optionError('limiter', 'must be a limiter, as createLimiter() returns it', limiter);
  checkFunction(subject, 'subject');
  checkFunction(key, 'key');
  if (prepare !== undefined) checkFunction(prepare, 'prepare');
  if (charge !== undefined) checkFunction(charge, 'charge');
  const settings = commonSettings(options);
  const given = new GivenLimiter({
    limiter,
    keyOf: key,
    clock: clockOf(options.clock),
    budget: settings.retry?.budget ?? 1,
    breaker: settings.breaker,
    isEndedElsewhere: charge !== undefined,
  });
  const engine = new ClientEngine<Subject, GivenGrant<Subject>>({ ...settings, limiter: given });
  const charged: EngineExchange<Subject, Response, GivenGrant<Subject>>['charge'] =
    charge &&
    (async ({ subject, reservation }, { answer, advice, error }) =>
      charge({ subject, reservation, advice, ...(answer ? { response: answer } : { error }) }));
  return fetchOver(options.fetch, async (exchange, input, init) => {
    const source = await subject(input, init);
    return engine.run({
      ...exchange,
      source,
      ...(prepare && { send: () => exchange.sendAs(prepare(source, input, init)) }),
      ...(charged && { charge: charged }),
    });
  });
}

/** An exchange of `fetch`, which can also be sent with other options. */
interface FetchExchange extends Exchange<Response> {
  sendAs(init: RequestInit): Promise<Response>;
}

/** Runs exchanges of `fetch`. */
type Run = (exchange: FetchExchange, input: FetchInput, init: RequestInit) => Promise<Sent<Response>>;

function fetchOver(own: typeof fetch | undefined, run: Run): LimitedFetch {
  if (own !== undefined) checkFunction(own, 'fetch');
  return async (input, options = {}) => {
    const { sluice, ...rest } = options;
    // An object of a class, whose members a copy would lose, is handed on as it is.
    const init = withLastingFields(sluice === undefined ? options : rest);
    const { head, signal, canRepeat } = fetchCall(input, init);
    let refusal: RefusalInBody | undefined;
    const sendAs = async (as: RequestInit): Promise<Response> => {
      const response = await (own ?? globalThis.fetch)(input, as);
      refusal = await refusalInBody(head.url, response);
      return response;
    };
    const { answer, holdsSlot, ended } = await run(
      {
        head,
        signal,
        canRepeat,
        maxWaitMs: maxWaitOf(sluice),
        send: () => sendAs(init),
        sendAs,
        read: (response) =>
          refusal ? { status: refusal.status, headers: response.headers, bodyDelayMs: refusal.delayMs } : response,
        discard: discardResponse,
      },
      input,
      init,
    );
    return holdsSlot ? watchedResponse(answer, ended) : answer;
  };
}
