import type { ProxyTrust } from '../keys/proxy-trust.js';
import type { HttpRequest } from '../node/request.js';
import type { HostSpend } from './host-spend.js';

type Args = readonly unknown[];

/** How an adapter reads the requests of its framework. */
export interface Host<A extends Args> {
  /** Returns the same object for every policy that a request passes. */
  requestOf(...args: A): HttpRequest;
  /**
   * Returns which proxies the framework trusts to send `X-Forwarded-For`: see `proxyTrustOf`. Undefined if that is not
   * known; then nothing is warned about. Absent: it is never known, and the fields of proxies are not looked for.
   */
  proxyTrust?(...args: A): ProxyTrust | undefined;
  /**
   * Calls `notify` once when the request has ended in any way, and at once if it already has. Returns a function that stops
   * it. Absent: a request with `maxWait` waits as long as it may, even if its client has left.
   */
  onEnd?(notify: () => unknown, ...args: A): () => void;
  /**
   * Returns how a request spends, in place of what the policy says: a kind, a cost, and an id with which it may be repeated.
   * Undefined: as the policy says. Requests of such a host cannot wait: it must not have policies with `maxWait`.
   */
  spendOf?(...args: A): HostSpend | undefined;
}
