import type { LoadState } from '@sluice/core/application';
import { addressMatcher, type HttpRequest, type HttpReservation, type ProxyTrust, REQUEST } from '@sluice/core/http';
import { optionError } from '@sluice/core/values';
import type { FetchContext } from './fetch-context.js';
import { PendingEnds } from './pending-ends.js';
import { ResponseFields } from './response-fields.js';

/** Addresses that no client on the Internet has: such a peer is a proxy of the application's own network. */
const isPrivate = /* @__PURE__ */ addressMatcher(
  [
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '::1',
    'fc00::/7',
    'fe80::/10',
  ],
  'isPrivate',
);

/** A `Request` as Sluice reads it, with the data that its policies share. There is one for each `Request`. */
export class FetchRequest implements HttpRequest {
  readonly request: Request;
  readonly fields = new ResponseFields(() => this.returned !== undefined);
  /** As the context of the last guard said it that knew one. */
  address: FetchContext['address'];
  /** Whose `X-Forwarded-For` is believed. Set by `clientAddress`, and otherwise undefined. */
  trust: ProxyTrust | undefined;
  /** The reservation of the last policy that counted the request. */
  rateLimit: HttpReservation | undefined;
  /** The state of the last `shedLoad` that admitted the request. */
  load: LoadState | undefined;
  /** The response that an `onLimitReached` has returned. */
  returned: Response | undefined;
  /** The response, as soon as a guard or the handler has made one. */
  response: Response | undefined;
  #ends = new PendingEnds();
  #headers: HttpRequest['headers'] | undefined;

  constructor(request: Request) {
    this.request = request;
  }

  get method(): string {
    return this.request.method;
  }

  /** The path with the query, as in Node. */
  get url(): string {
    const { url } = this.request;
    return url.slice(url.indexOf('/', url.indexOf('://') + 3));
  }

  get headers(): HttpRequest['headers'] {
    this.#headers ??= Object.fromEntries(this.request.headers);
    return this.#headers;
  }

  get ip(): string | undefined {
    const { address } = this;
    const ip = (typeof address === 'function' ? address() : address) ?? undefined;
    if (ip === undefined || typeof ip === 'string') return ip;
    throw optionError('context.address', 'must be the text of an address, or a function that returns it', ip);
  }

  /**
   * Without `clientAddress`, the platform may have found the address in `X-Forwarded-For`, or elsewhere: then there is nothing to
   * warn about. A private address that is not in that field is the address of a proxy.
   */
  get proxyTrust(): ProxyTrust | undefined {
    if (this.trust !== undefined) return this.trust;
    const { ip } = this;
    const isForwarded = ip !== undefined && String(this.headers['x-forwarded-for'] ?? '').includes(ip);
    return isPrivate(ip) && !isForwarded ? 'none' : undefined;
  }

  /** What the next response, or a failure, tells how the request ends. */
  get ends(): PendingEnds {
    return this.#ends;
  }

  /** Returns the same for the caller alone: later guards begin anew. */
  takeEnds(): PendingEnds {
    const ends = this.#ends;
    this.#ends = new PendingEnds();
    return ends;
  }

  /** Returns the response of a guard to send in place of that of a handler, which does not run. */
  refuse(response: Response): Response {
    return this.end(this.takeEnds(), response);
  }

  /** Returns the response to send: it has the header fields, and what waits for the end of the request notices it. */
  end(ends: PendingEnds, response: Response): Response {
    const completed = this.fields.on(response);
    this.response = completed;
    const sent = ends.responded(completed);
    ends.handlerEnded();
    return sent;
  }

  /** Tells that the handler or a guard has failed. */
  fail(ends: PendingEnds): void {
    ends.failed();
    ends.handlerEnded();
  }
}

/** Returns what Sluice knows about a request: the same object for every guard. */
export function requestOf(request: Request & { [REQUEST]?: FetchRequest }, context?: FetchContext): FetchRequest {
  request[REQUEST] ??= new FetchRequest(request);
  const known = request[REQUEST];
  if (context?.address !== undefined && context.address !== null) known.address = context.address;
  return known;
}

/**
 * Returns the decision of the last `rateLimit` that counted the request, which a handler can correct. Undefined if none did.
 *
 * @example await rateLimitOf(request)?.settle(units);
 */
export function rateLimitOf(request: Request): HttpReservation | undefined {
  return requestOf(request).rateLimit;
}

/**
 * Returns how busy the process is, for handlers that then do less. Undefined if the request has not passed `shedLoad`.
 *
 * @example if (loadOf(request)?.isShedding) return Response.json(cached);
 */
export function loadOf(request: Request): LoadState | undefined {
  return requestOf(request).load;
}

/**
 * Returns the response to the request, for a callback that is called at its end. Undefined as long as there is none, and if the
 * handler has failed.
 *
 * @example rateLimit({ limit: 5, window: '1m', skipFailedRequests: true, requestWasSuccessful: (request) => responseOf(request)?.ok ?? false })
 */
export function responseOf(request: Request): Response | undefined {
  return requestOf(request).response;
}
