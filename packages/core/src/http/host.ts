import type { ProxyTrust } from './keys/proxy-trust.js';
import type { HttpRequest } from './node/request.js';

/** What an adapter says of its framework. */
export interface Host<A extends readonly unknown[]> {
  /** The same object for every policy that a request meets. */
  requestOf(...args: A): HttpRequest;
  /**
   * Whose `X-Forwarded-For` the framework believes: see `proxyTrustOf`. Undefined if it does not say, and there is
   * nothing to warn of.
   */
  proxyTrust(...args: A): ProxyTrust | undefined;
}
