import type { KeyGenerator } from '@sluice/core/src/limiter/policy/options';
import { optionError } from '@sluice/core/src/values/error';
import { isPromise } from '@sluice/core/src/values/eventual';
import { encodeKey, hash, type Key } from '@sluice/core/src/values/key';
import { checkFunction, checkOptions } from '@sluice/core/src/values/option-checks';
import { fieldOf, type HttpRequest } from '../node/request.js';
import { checkIpv6Subnet, DEFAULT_IPV6_SUBNET, keyOfIp } from './ip-key.js';

/**
 * Counts by the client's address, as `ipKey` does: IPv6 by subnet, and all notations of an address together. Returns
 * undefined if the request has no address.
 *
 * @throws SluiceError `SLUICE_OPTION` if `ipv6Subnet` is no whole number from 32 to 128 (default: 56)
 * @example rateLimit({ limit: 100, window: '1m', keyGenerator: byIp({ ipv6Subnet: 64 }) })
 */
export const byIp = (options: { ipv6Subnet?: number } = {}): ((request: HttpRequest) => Key | undefined) => {
  checkOptions(options, ['ipv6Subnet']);
  const subnet = checkIpv6Subnet(options.ipv6Subnet ?? DEFAULT_IPV6_SUBNET);
  return ({ ip }) => (ip ? keyOfIp(ip, subnet) : undefined);
};

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Counts by a header field, such as an API key. The value is hashed (SHA-256), so that no secret reaches a store, a log
 * or an event. Returns undefined if the field is absent or empty. The values of a repeated field count together.
 *
 * Anyone can send any header field. Use one that is verified before, or add a limit by address.
 *
 * @param name - the name of the field, in any case
 * @throws SluiceError `SLUICE_OPTION` if the name is no token (RFC 9110 section 5.1)
 * @example rateLimit({ limit: 1000, window: '1h', keyGenerator: byHeader('x-api-key') })
 */
export const byHeader = (name: string): ((request: HttpRequest) => Key | undefined) => {
  if (typeof name !== 'string' || !TOKEN.test(name)) throw optionError('name', 'must be the name of a header', name);
  const field = name.toLowerCase();
  return (request) => {
    const value: unknown = fieldOf(request, field);
    const text = Array.isArray(value) ? value.join(', ') : value;
    return typeof text === 'string' && text !== '' ? headerKey(field, text) : undefined;
  };
};

/**
 * Returns the key by which `byHeader` counts a value. Use it for `reset`, and in your own key generators.
 *
 * @example await limiter.reset(headerKey('x-api-key', revoked));
 */
export function headerKey(name: string, value: string): readonly ['header', string, string] {
  // Encodes the value first, because a hash reads text as UTF-8, in which all ill-formed text is the same.
  return ['header', name.toLowerCase(), hash(encodeKey(value))];
}

/**
 * Returns the first key: that of the first generator which returns neither null nor undefined. Later ones are not
 * called. The result is a promise only if a called generator is asynchronous.
 *
 * @throws SluiceError `SLUICE_OPTION` if there are no generators, or one is no function
 * @example rateLimit({ limit: 100, window: '1m', keyGenerator: firstOf(byHeader('x-api-key'), byIp()) })
 */
export function firstOf<Req extends HttpRequest = HttpRequest, Res = unknown>(
  ...keys: KeyGenerator<[req: NoInfer<Req>, res: NoInfer<Res>]>[]
): KeyGenerator<[req: Req, res: Res]> {
  if (keys.length === 0) throw optionError('keys', 'must be at least one key generator', keys);
  keys.forEach((key, i) => {
    checkFunction(key, `keys[${i}]`);
  });
  const answerFrom = (first: number, req: Req, res: Res): Answered | Promise<Answered> => {
    for (let i = first; i < keys.length; i += 1) {
      const answer = keys[i]?.(req, res);
      if (isPromise(answer)) return answer.then((key) => key ?? answerFrom(i + 1, req, res));
      if (answer !== undefined && answer !== null) return answer;
    }
    return undefined;
  };
  return (req, res) => answerFrom(0, req, res);
}

type Answered = Key | null | undefined;
