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
  headers?: Fields;
}

/** Header fields by name. A list has values that are added to others: its name is in lower case. */
type Fields = Readonly<Record<string, string | readonly string[]>>;

/** Holds the fields that all policies have set so far, on a context. */
const FIELDS = Symbol('sluice.fields');

interface FieldsBearer {
  [FIELDS]?: Map<string, string | readonly string[]>;
}

/** The response of a context, as one policy writes it. */
export class KoaResponse implements AdmittingHost<[ctx: Context]> {
  readonly requestOf = host.requestOf;
  readonly proxyTrust = host.proxyTrust;
  readonly #ctx: Context;
  readonly #fields: NonNullable<FieldsBearer[typeof FIELDS]>;

  constructor(ctx: Context & FieldsBearer) {
    this.#ctx = ctx;
    ctx[FIELDS] ??= new Map();
    this.#fields = ctx[FIELDS];
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
    this.#fields.set(name, value);
    this.#ctx.set(name, value);
  }

  append(name: string, value: string): void {
    const field = name.toLowerCase();
    this.#fields.set(field, [...(this.#fields.get(field) ?? []), value]);
    this.#ctx.append(name, value);
  }

  delete(name: string): void {
    this.#fields.delete(name);
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
    const value = withOurs(error.headers ?? {}, this.#fields);
    // Nobody can assign what the class of an error computes. An error that cannot be extended stays as it is.
    Reflect.defineProperty(error, 'headers', { value, writable: true, enumerable: true, configurable: true });
    return error;
  }
}

/** Returns our fields with those of an error, which may be ours from an inner policy. They replace ours, but are added to lists. */
function withOurs(fields: Fields, ours: ReadonlyMap<string, string | readonly string[]>): Fields {
  const all = new Map(ours);
  for (const [name, value] of Object.entries(fields)) {
    const list = all.get(name.toLowerCase());
    if (typeof list === 'object') all.set(name.toLowerCase(), [...new Set([...list, value].flat())]);
    else all.set(name, value);
  }
  return Object.fromEntries(all);
}

/** Sets the response to a request that is refused. */
export function refuse(ctx: Context, { status, body, headers }: SentRefusal): void {
  ctx.status = status;
  ctx.body = body;
  // After the body, for which Koa chooses a content type.
  ctx.set(headers);
}
