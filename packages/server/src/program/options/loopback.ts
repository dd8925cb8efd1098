import { addressMatcher } from '@sluice/core/http';
import { LOOPBACK } from '../../trust/caller-check.js';

const isLoopbackAddress = addressMatcher(LOOPBACK, 'loopback');

/** Whether only programs of this machine reach an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host);
}
