import type { HttpRequest } from './request.js';

/** Whose `X-Forwarded-For` the framework believes: nobody's, anybody's, or that of proxies it was told of. */
export type ProxyTrust = 'none' | 'all' | 'some';

/** What an adapter says of its framework. */
export interface Host<A extends readonly unknown[]> {
  /** The same object for every policy that a request meets. */
  requestOf(...args: A): HttpRequest;
  /** Whose `X-Forwarded-For` the framework believes. */
  proxyTrust(...args: A): ProxyTrust;
}
