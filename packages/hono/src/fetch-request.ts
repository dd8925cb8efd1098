import type { AsyncLocalStorage } from 'node:async_hooks';
import { type HttpRequest, joinRequestPolicies, type ProxyTrust, REQUEST } from '@sluice/core/http';
import { NODE } from '@sluice/core/values';
import type { Context } from 'hono';
import type { AnswerWatch } from './answer-watch.js';
import { type NodeBindings, nodeBindingsOf } from './node-bindings.js';

/** Where the address of a client comes from, and whose `X-Forwarded-For` is trusted. */
export interface AddressSource {
  readonly addressOf: (c: Context) => string | undefined;
  readonly trust: ProxyTrust | undefined;
}

/**
 * A fetch `Request` as Sluice reads it, with the data that its policies share. There is one for each context. An application
 * that is mounted by `app.mount()` makes a context of its own for the same request, and shares the policies, fields and
 * address of the outer one.
 */
export class FetchRequest implements HttpRequest {
  readonly context: Context;
  readonly node: NodeBindings | undefined;
  /** The same object for all applications that the request passes: Node's request, or that of the outermost application. */
  readonly raw: object;
  /** Set by `clientAddress`. */
  source: AddressSource | undefined;
  /** The header fields that the policies have set so far, by their names in lower case: a list if they are added to others. */
  readonly fields: Map<string, string | readonly string[]>;
  /**
   * For the `shedLoad` that has just admitted the request: the watch of its response, and what to call when the header
   * fields are known. Absent on Node, where the connection tells both.
   */
  shedding: { watch?: AnswerWatch; fieldsKnown?: () => void } | undefined;
  #headers: HttpRequest['headers'] | undefined;
  readonly #outer: FetchRequest | undefined;

  constructor(context: Context) {
    this.context = context;
    this.node = nodeBindingsOf(context);
    const outer = this.node ? outermostOf(this.node.incoming, this) : outerIn(context);
    this.raw = this.node?.incoming ?? outer?.raw ?? this;
    this.fields = outer?.fields ?? new Map();
    this.source = outer?.source;
    this.#outer = outer;
    if (outer) joinRequestPolicies(this, outer);
  }

  get method(): string {
    return this.context.req.method;
  }

  /** The path with the query, as in Node. */
  get url(): string {
    const { url } = this.context.req;
    return url.slice(url.indexOf('/', url.indexOf('://') + 3));
  }

  /** The URL as the client sent it. An application may have taken the beginning of the path away, to pass the request on. */
  get wholeUrl(): string {
    const incoming: { readonly originalUrl?: string; readonly url?: string | undefined } = this.node?.incoming ?? {};
    return incoming.originalUrl ?? incoming.url ?? this.#outer?.wholeUrl ?? this.url;
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

/** Holds the request of the outermost application. The symbol is the same for all copies of this package in a process. */
const OUTERMOST = Symbol.for('sluice.hono.request');

interface Incoming {
  [OUTERMOST]?: FetchRequest;
}

/** Returns the request of the application around this one; undefined if there is none. Hono passes Node's request on. */
function outermostOf(incoming: object & Incoming, own: FetchRequest): FetchRequest | undefined {
  const outer = incoming[OUTERMOST];
  if (!outer) incoming[OUTERMOST] = own;
  return outer;
}

/**
 * Where no connection tells which request it is: the request whose handlers are running now. Undefined in a Worker without
 * `nodejs_compat`, whose mounted applications count for themselves.
 */
const running: AsyncLocalStorage<FetchRequest> | undefined = storageOfNode();

function storageOfNode(): AsyncLocalStorage<FetchRequest> | undefined {
  const Storage = NODE?.getBuiltinModule('node:async_hooks')?.AsyncLocalStorage;
  return Storage && new Storage();
}

/**
 * Returns the request of the application around this one; undefined if there is none. A mounted application gets the same
 * environment. A further request of a handler to its own application is another request.
 */
function outerIn({ env, req }: Context): FetchRequest | undefined {
  const outer = running?.getStore();
  if (!outer || env === undefined || outer.context.env !== env) return undefined;
  const isRest = req.path === '/' || outer.context.req.path.endsWith(req.path);
  return isRest ? outer : undefined;
}

/** Calls the rest of the application, so that an application mounted in it finds the request. */
export function runIn(request: FetchRequest, next: () => Promise<void>): Promise<void> {
  return request.node || !running ? next() : running.run(request, next);
}
