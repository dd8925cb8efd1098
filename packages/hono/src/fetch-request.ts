import { type HttpRequest, type ProxyTrust, REQUEST } from '@sluice/core/http';
import type { Context } from 'hono';
import type { AnswerWatch } from './answer-watch.js';
import { type NodeBindings, nodeBindingsOf } from './node-bindings.js';

/** Where the address of a client comes from, and whose `X-Forwarded-For` is trusted. */
export interface AddressSource {
  readonly addressOf: (c: Context) => string | undefined;
  readonly trust: ProxyTrust | undefined;
}

/** A fetch `Request` as Sluice reads it, with the data that its policies share. There is one for each context. */
export class FetchRequest implements HttpRequest {
  readonly context: Context;
  readonly node: NodeBindings | undefined;
  /** Set by `clientAddress`. */
  source: AddressSource | undefined;
  /** The header fields that the policies have set so far. */
  readonly fields = new Map<string, string>();
  /**
   * For the `shedLoad` that has just admitted the request: the watch of its response, and what to call when the header
   * fields are known. Absent on Node, where the connection tells both.
   */
  shedding: { watch?: AnswerWatch; fieldsKnown?: () => void } | undefined;
  #headers: HttpRequest['headers'] | undefined;

  constructor(context: Context) {
    this.context = context;
    this.node = nodeBindingsOf(context);
  }

  get method(): string {
    return this.context.req.method;
  }

  /** The path with the query, as in Node. */
  get url(): string {
    const { url } = this.context.req;
    return url.slice(url.indexOf('/', url.indexOf('://') + 3));
  }

  get headers(): HttpRequest['headers'] {
    this.#headers ??= this.node?.incoming.headers ?? Object.fromEntries(this.context.req.raw.headers);
    return this.#headers;
  }

  get ip(): string | undefined {
    return this.source ? this.source.addressOf(this.context) : this.node?.incoming.socket.remoteAddress;
  }

  /** The connection on Node. Other runtimes do not expose theirs. */
  get socket(): HttpRequest['socket'] {
    return this.node?.incoming.socket;
  }

  /** Whether there is no source for the client's address. */
  get isWithoutSource(): boolean {
    return this.source === undefined && this.node === undefined;
  }

  /** Undefined if nothing is known about proxies: then there is nothing to warn about. */
  get proxyTrust(): ProxyTrust | undefined {
    if (this.source) return this.source.trust;
    return this.node && 'none';
  }
}

/** Returns the request of a context: the same object for every policy. */
export function requestOf(context: Context & { [REQUEST]?: FetchRequest }): FetchRequest {
  context[REQUEST] ??= new FetchRequest(context);
  return context[REQUEST];
}
