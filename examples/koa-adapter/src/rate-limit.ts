import {
  type AdmittingHost,
  carryOut,
  createEnforcer,
  type Host,
  type HttpOptions,
  type HttpReservation,
  type Outcome,
  onResponseEnd,
  type PolicyHandle,
  type RateLimitSource,
  REQUEST,
  type Refusal,
  type RequestCarrier,
  requestPoliciesOf,
} from '@sluice/core/http';
import type { Context, Middleware } from 'koa';

/** The options of `rateLimit`. Every callback gets Koa's context. */
export type RateLimitOptions = HttpOptions<[ctx: Context]>;

/** The middleware, and the handle of its policy. */
export type RateLimitMiddleware = PolicyHandle<[ctx: Context]> & Middleware;

/** Koa sends the header fields that an error has. */
interface KoaError {
  message?: string;
  headers?: Readonly<Record<string, string>>;
}

/**
 * Limits the requests that pass here. A request above the limit gets 429. `ctx.state.rateLimit` is the decision.
 *
 * @param owner - the object that the policy's name belongs to: a limiter that is made again with it counts on. Default: the
 * options
 * @throws SluiceError `SLUICE_OPTION` for a wrong option, `SLUICE_DUPLICATE_NAME` when the store has another policy of
 * this name
 * @example app.use(rateLimit({ limit: 100, window: '1m' }));
 */
export function rateLimit(options: RateLimitSource<[ctx: Context]>, owner: object = options): RateLimitMiddleware {
  const { enforce, countsByAddress: _, mayHoldSlots: __, ...handle } = createEnforcer(options, host, owner);
  const middleware: Middleware = async (ctx, next) => {
    const response = new KoaResponse(ctx);
    // A slot is kept until the handler has ended, even if the client has disconnected.
    const end = requestPoliciesOf(ctx.request).work.beginHandler();
    try {
      const admission = await carryOut(enforce(ctx), response);
      if (admission === 'admitted') await next();
      else if (admission !== 'over') response.refuse(admission.refusal);
    } catch (reason) {
      throw response.withFields(asError(reason));
    } finally {
      end();
    }
  };
  return Object.assign(middleware, handle);
}

/** What `@sluice/core/http` asks about a request of Koa. */
const host: Host<[ctx: Context]> = {
  requestOf: (ctx: Context & RequestCarrier) => (ctx[REQUEST] ??= ctx.request),
  onEnd: (notify, ctx) => onResponseEnd(ctx.res, notify),
  proxyTrust: ({ app }) => {
    if (!app.proxy) return 'none';
    // Without a number of proxies, Koa takes the address that the client may have written itself.
    return app.maxIpsCount > 0 ? 'some' : 'all';
  },
};

/** The response of a context, as one policy writes it. */
class KoaResponse implements AdmittingHost<[ctx: Context]> {
  readonly requestOf = host.requestOf;
  readonly proxyTrust = host.proxyTrust;
  readonly #ctx: Context;
  /** The fields that the policy has set. */
  readonly #fields: Record<string, string> = {};

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  keep(reservation: HttpReservation): void {
    this.#ctx.state.rateLimit = reservation;
  }

  onEnd(notify: (outcome: Outcome) => unknown): () => void {
    return onResponseEnd(this.#ctx.res, notify);
  }

  /** Header fields alone: Koa sends the body when all middleware has returned. */
  responseOf(): this {
    return this;
  }

  set(name: string, value: string): void {
    this.#fields[name] = value;
    this.#ctx.set(name, value);
  }

  append(name: string, value: string): void {
    this.#fields[name] = value;
    this.#ctx.append(name, value);
  }

  delete(name: string): void {
    this.#ctx.remove(name);
  }

  /** Until somebody sets a status or a body, the status is 404. */
  isAnswered(): boolean {
    const { headerSent, respond, status, body } = this.#ctx;
    return headerSent || respond === false || status !== 404 || body != null;
  }

  refuse({ status, body, headers }: Refusal): void {
    this.#ctx.status = status;
    this.#ctx.body = body;
    // After the body, for which Koa chooses a content type.
    this.#ctx.set(headers);
  }

  /** Koa removes all header fields for an error, but for those that the error names. */
  withFields(error: KoaError): KoaError {
    if (Object.isExtensible(error)) error.headers = { ...this.#fields, ...error.headers };
    return error;
  }
}

/** Koa takes null and undefined for no error, and would never respond. */
function asError(reason: unknown): KoaError {
  return typeof reason === 'object' && reason !== null ? reason : new Error('A function failed', { cause: reason });
}
