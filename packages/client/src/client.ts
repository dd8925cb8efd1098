import type { Key } from '@sluice/core';
import { type ClientOptions, clientSettings } from './client-options.js';
import { ClientEngine } from './engine/client-engine.js';
import type { Exchange, Sent } from './engine/exchange.js';
import type { ConcurrencyState } from './limits/adaptive-concurrency.js';
import { OwnLimiter } from './limits/own-limiter.js';

/** Sends the requests of any transport within limits. */
export interface Client {
  /**
   * Resolves with the answer that is handed on.
   *
   * @throws SluiceError `SLUICE_REFUSED` if the request was not sent because its turn would come too late; `SLUICE_UNAVAILABLE` if the server is away; `SLUICE_KEY` if
   * it has no key; the reason of the signal; the error of the transport
   */
  run<Answer>(exchange: Exchange<Answer>): Promise<Sent<Answer>>;
  /** Lifts the block of a key, for all processes. Returns whether it was blocked. Rejects if the store fails. */
  unblock(key: Key): Promise<boolean>;
  /** Forgets everything about a key. Returns whether there was anything. Rejects if the store fails. */
  forget(key: Key): Promise<boolean>;
  /** The adaptive concurrency of a key; undefined if it has none. */
  concurrency(key: Key): ConcurrencyState | undefined;
}

/** The limiters of clients, so that clients with the same options object share one. */
const limiters = new WeakMap<ClientOptions, OwnLimiter>();

/**
 * Makes a client with a limiter of its own. To share it between transports, pass the same options object to both.
 * `limitedFetch` and the interceptor are built on it.
 *
 * @throws SluiceError `SLUICE_OPTION`; `SLUICE_DUPLICATE_NAME` if the store has another policy with this name
 */
export function createClient(options: ClientOptions): Client {
  const { limits, keyOf, breaker, ...settings } = clientSettings(options);
  const limiter = limiters.get(options) ?? new OwnLimiter(limits, { budget: settings.retry?.budget ?? 1, breaker });
  limiters.set(options, limiter);
  const engine = new ClientEngine({ ...settings, limiter });
  return {
    async run(exchange) {
      return engine.run({ ...exchange, source: await keyOf(exchange.head) });
    },

    unblock: async (key) => limiter.unblock(key),

    forget: async (key) => limiter.forget(key),

    concurrency: (key) => limiter.concurrencyOf(key),
  };
}
