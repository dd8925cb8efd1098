import { type AdmittingHost, type HttpReservation, type Outcome, onResponseEnd } from '@sluice/core/http';
import type { Context } from 'koa';
import { host } from './koa-host.js';

/** A refusal, as it is sent. */
interface SentRefusal {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Koa sends the header fields that an error has. */
export interface KoaError {
  message?: string;
  headers?: Readonly<Record<string, string>>;
}

/** The response of a context, as one policy writes it. */
export class KoaResponse implements AdmittingHost<[ctx: Context]> {
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
    delete this.#fields[name];
    this.#ctx.remove(name);
  }

  /** What middleware around the policy has set before, such as a default, is no response to the request. */
  watchAnswer(): () => boolean {
    const ctx = this.#ctx;
    const { status, body } = ctx;
    return () => ctx.headerSent || ctx.respond === false || ctx.status !== status || ctx.body !== body;
  }

  /** Koa removes all header fields for an error, but for those that the error names. */
  withFields(error: KoaError): KoaError {
    const value = { ...this.#fields, ...error.headers };
    // Nobody can assign what the class of an error computes. An error that cannot be extended stays as it is.
    Reflect.defineProperty(error, 'headers', { value, writable: true, enumerable: true, configurable: true });
    return error;
  }
}

/** Sets the response to a request that is refused. */
export function refuse(ctx: Context, { status, body, headers }: SentRefusal): void {
  ctx.status = status;
  ctx.body = body;
  // After the body, for which Koa chooses a content type.
  ctx.set(headers);
}
