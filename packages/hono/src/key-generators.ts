import type { Key, KeyGenerator } from '@sluice/core';
import * as http from '@sluice/core/http';
import type { Context } from 'hono';
import { type FetchRequest, requestOf } from './fetch-request.js';

/**
 * Counts by the client's address, IPv6 by subnet. Returns undefined if the runtime does not know the address: see
 * `clientAddress`.
 *
 * @throws SluiceError `SLUICE_OPTION` if `ipv6Subnet` is no whole number from 32 to 128 (default: 56)
 * @example rateLimit({ limit: 100, window: '1m', keyGenerator: byIp({ ipv6Subnet: 64 }) })
 */
export function byIp(options?: { ipv6Subnet?: number }): (c: Context) => Key | undefined {
  const keyOf = http.byIp(options);
  return (c) => keyOf(requestOf(c));
}

/**
 * Counts by a header field, such as an API key. The value is hashed. Returns undefined if the field is absent or empty.
 *
 * Anyone can send any header field. Use one that is verified before, or add a limit by address.
 *
 * @throws SluiceError `SLUICE_OPTION` for a name that no header field can have
 * @example rateLimit({ limit: 1000, window: '1h', keyGenerator: byHeader('x-api-key') })
 */
export function byHeader(name: string): (c: Context) => Key | undefined {
  const keyOf = http.byHeader(name);
  return (c) => keyOf(requestOf(c));
}

/**
 * Returns the first key: that of the first generator which returns neither null nor undefined. Later ones are not
 * called.
 *
 * @throws SluiceError `SLUICE_OPTION` if there are no generators, or one is no function
 * @example rateLimit({ limit: 100, window: '1m', keyGenerator: firstOf(byHeader('x-api-key'), byIp()) })
 */
export function firstOf(...keys: KeyGenerator<[c: Context]>[]): KeyGenerator<[c: Context]> {
  const ofRequest = keys.map((key) => (typeof key === 'function' ? ({ context }: FetchRequest) => key(context) : key));
  const keyOf = http.firstOf<FetchRequest>(...ofRequest);
  return (c) => keyOf(requestOf(c), undefined);
}
