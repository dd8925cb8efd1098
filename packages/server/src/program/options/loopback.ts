import { addressMatcher } from '@sluice/core/http';

const isLoopbackAddress = addressMatcher(['127.0.0.0/8', '::1'], 'loopback');

/** Whether only programs of this machine reach an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host);
}
