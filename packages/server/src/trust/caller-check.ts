import { addressMatcher } from '@sluice/core/http';
import { InputProblem } from '../http/input-problem.js';
import type { RouteRequest } from '../http/route.js';
import { tokenMatcher } from './token-matcher.js';

/** The addresses of this machine, from which every program can reach every port. */
export const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1'];

/** The options of `callerCheck`. */
interface CallerCheckOptions {
  /** Any of them lets a caller ask. */
  readonly callTokens: readonly string[];
  /** Addresses and ranges of those who may ask without a token. */
  readonly trustedProxies: readonly string[];
}

/** Says who may ask for decisions in the name of others: whoever is on this machine, is trusted, or has a call token. */
export interface CallerCheck {
  /**
   * Whether a caller may ask.
   *
   * @param peer - the address of the connection; undefined if it has none, such as a Unix socket
   * @param authorization - the field of this name: `Bearer` and the token
   */
  knows(peer: string | undefined, authorization: string | undefined): boolean;
  /** @throws InputProblem 401 for a caller that it does not know, and for a web page without a token */
  check(request: RouteRequest): void;
}

/**
 * Makes the check of callers.
 *
 * @throws SluiceError `SLUICE_OPTION` if an entry of `trustedProxies` is no address or range
 */
export function callerCheck({ callTokens, trustedProxies }: CallerCheckOptions): CallerCheck {
  const isProxy = addressMatcher(trustedProxies, 'trustedProxies');
  const isHere = addressMatcher(LOOPBACK, 'loopback');
  const hasToken = tokenMatcher(callTokens);
  const knows = (peer: string | undefined, authorization: string | undefined): boolean =>
    isHere(peer) || isProxy(peer) || hasToken(authorization);
  return {
    knows,
    check: ({ peer, message: { headers } }) => {
      const { authorization, origin } = headers;
      // Only a browser sends `Origin`. It is on a trusted machine, and the page in it can be anybody's.
      if (origin === undefined ? knows(peer, authorization) : hasToken(authorization)) return;
      throw new InputProblem(401, [{ header: 'Authorization', detail: 'must be Bearer and a call token' }], {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    },
  };
}
