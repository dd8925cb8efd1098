import { isIP } from 'node:net';
import { addressMatcher } from '@sluice/core/http';

const isLoopback = addressMatcher(['127.0.0.0/8', '::1'], 'loopback');

/** Whether policies may be read from an address: over TLS, or on this machine. Anybody between could change other text. */
export function isSafe({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true;
  const host = hostname.replace(/^\[|\]$/g, '');
  return protocol === 'http:' && (host === 'localhost' || (isIP(host) > 0 && isLoopback(host)));
}

/** Whether an address has a name or a password, which `fetch` does not take. */
export function hasPassword({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** The address without its secrets, for messages. */
export function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
