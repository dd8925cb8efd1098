import type { Key, KeyGenerator } from '@sluice/core';
import * as http from '@sluice/core/http';
import type { Context } from 'hono';
import { type FetchRequest, requestOf } from './fetch-request.js';

/**
 * Counts by the client's address, IPv6 by subnet. Undefined where the runtime tells none: see `clientAddress`.
 *
 * @throws SluiceError `SLUICE_OPTION` for an `ipv6Subnet` that is no whole number from 32 to 128 (default 56).
 * @example rateLimit({ limit: 100, window: '1m', keyGenerator: byIp({ ipv6Subnet: 64 }) })
 */
export function byIp(options?: { ipv6Subnet?: number }): (c: Context) => Key | undefined {
  const keyOf = http.byIp(options);
  return (c) => keyOf(requestOf(c));
}

/**
 * Counts by a header, such as an API key. The value is hashed. Undefined when the header is absent or empty.
 *
 * Anyone may send any header: count by one that is verified before, or beside a limit by address.
 *
 * @throws SluiceError `SLUICE_OPTION` for a name that no header can have.
 * @example rateLimit({ limit: 1000, window: '1h', keyGenerator: byHeader('x-api-key') })
 */
export function byHeader(name: string): (c: Context) => Key | undefined {
  const keyOf = http.byHeader(name);
  return (c) => keyOf(requestOf(c));
}

/**
 * The first key that there is: the first generator which answers neither null nor undefined. The later ones are not asked.
 *
 * @throws SluiceError `SLUICE_OPTION` for no generators, or what is no function.
 * @example rateLimit({ limit: 100, window: '1m', keyGenerator: firstOf(byHeader('x-api-key'), byIp()) })
 */
export function firstOf(...keys: KeyGenerator<[c: Context]>[]): KeyGenerator<[c: Context]> {
  const ofRequest = keys.map((key) => (typeof key === 'function' ? ({ context }: FetchRequest) => key(context) : key));
  const keyOf = http.firstOf<FetchRequest>(...ofRequest);
  return (c) => keyOf(requestOf(c), undefined);
}
