import type { Key } from '@sluice/core';
import { checkOptions, optionError } from '@sluice/core/values';
import type { Dispatcher } from 'undici';
import { type CallOptions, maxWaitOf } from '../call-options.js';
import { createClient } from '../client.js';
import { CLIENT_OPTIONS, type ClientOptions } from '../client-options.js';
import type { Handler } from './handlers.js';
import { LimitedRequest } from './limited-request.js';
import { canRepeat, requestHead, withLastingFields } from './request-head.js';

/** The options of `limitInterceptor`. */
export interface LimitInterceptorOptions extends ClientOptions {
  /** The server of requests that do not name one, as those of a `Client` or a `Pool`. Default: none. */
  origin?: string | URL;
}

/** What the options of a request can contain for the limits. */
export interface LimitedDispatchOptions {
  /** Options for the limits. They are not sent. */
  sluice?: CallOptions;
}

/** An interceptor that keeps requests within limits. */
export interface LimitInterceptor extends Dispatcher.DispatcherComposeInterceptor {
  /**
   * Lets the requests of a key be sent again, in all processes, after a server asked for a stop that you know to be over.
   * Returns whether the key was stopped. Rejects if the store fails.
   */
  unblock(key: Key): Promise<boolean>;
  /**
   * Forgets everything about a key: its stop, the limits that the server has stated to this process, and what was counted, in the
   * store as well. Returns whether there was anything. Rejects if the store fails.
   */
  forget(key: Key): Promise<boolean>;
}

/** The methods of requests to a proxy or about the way itself. They are not counted. */
const UNCOUNTED: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/**
 * Makes an interceptor for the dispatchers of undici 6 and 7 that keeps requests below the limits of the servers they go to.
 * It does what `limitedFetch` does, with the same options: it asks a limiter before it sends, learns limits from answers, stops
 * all processes when a server asks for it, and sends again what is safe to send again.
 *
 * List it before interceptors that send requests again, such as `redirect`: then each of their requests counts.
 *
 * @throws SluiceError `SLUICE_OPTION` if an option is wrong; `SLUICE_DUPLICATE_NAME` if the store has another policy with
 * this name
 * @example
 * const dispatcher = new Agent().compose(limitInterceptor({ name: 'github', store }));
 * const { statusCode } = await request('https://api.github.com/user', { dispatcher });
 */
export function limitInterceptor(options: LimitInterceptorOptions = {}): LimitInterceptor {
  checkOptions(options, [...CLIENT_OPTIONS, 'origin']);
  const { origin } = options;
  if (origin !== undefined && !URL.canParse(String(origin)))
    throw optionError('origin', "must be a URL, like 'https://api.example.com'", origin);
  const { run, unblock, forget } = createClient(options);

  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) =>
    function limited(options: Dispatcher.DispatchOptions & LimitedDispatchOptions, handler: Handler) {
      const { sluice, ...rest } = options;
      const sent = withLastingFields(rest);
      if (UNCOUNTED.has(String(sent.method).toUpperCase())) return dispatch(sent, handler);
      const facts = () => ({
        head: requestHead(sent, origin),
        maxWaitMs: maxWaitOf(sluice),
        canRepeat: canRepeat(sent.body),
      });
      void new LimitedRequest((attempt) => dispatch(sent, attempt), handler).run(facts, run);
      return true;
    };
  return Object.assign(intercept, { unblock, forget });
}
