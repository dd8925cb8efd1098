import type { Key, KeyGenerator } from '@sluice/core';
import * as http from '@sluice/core/http';
import type { FetchContext } from './fetch-context.js';
import { type FetchRequest, requestOf } from './fetch-request.js';

/**
 * Counts by the client's address, IPv6 by subnet. Returns undefined if the context does not say the address.
 *
 * @throws SluiceError `SLUICE_OPTION` if `ipv6Subnet` is no whole number from 32 to 128 (default: 56)
 * @example rateLimit({ limit: 100, window: '1m', keyGenerator: byIp({ ipv6Subnet: 64 }) })
 */
export function byIp(options?: { ipv6Subnet?: number }): (request: Request) => Key | undefined {
  const keyOf = http.byIp(options);
  return (request) => keyOf(requestOf(request));
}

/**
 * Counts by a header field, such as an API key. The value is hashed. Returns undefined if the field is absent or empty.
 *
 * Anyone can send any header field. Use one that is verified before, or add a limit by address.
 *
 * @throws SluiceError `SLUICE_OPTION` for a name that no header field can have
 * @example rateLimit({ limit: 1000, window: '1h', keyGenerator: byHeader('x-api-key') })
 */
export function byHeader(name: string): (request: Request) => Key | undefined {
  const keyOf = http.byHeader(name);
  return (request) => keyOf(requestOf(request));
}

/**
 * Returns the first key: that of the first generator which returns neither null nor undefined. Later ones are not
 * called.
 *
 * @throws SluiceError `SLUICE_OPTION` if there are no generators, or one is no function
 * @example rateLimit({ limit: 100, window: '1m', keyGenerator: firstOf(byHeader('x-api-key'), byIp()) })
 */
export function firstOf<C extends FetchContext = FetchContext>(
  ...keys: KeyGenerator<[request: Request, context: NoInfer<C>]>[]
): KeyGenerator<[request: Request, context: C]> {
  const ofRequest = keys.map((key) =>
    typeof key === 'function' ? ({ request }: FetchRequest, context: C) => key(request, context) : key,
  );
  const keyOf = http.firstOf<FetchRequest, C>(...ofRequest);
  return (request, context) => keyOf(requestOf(request), context);
}
