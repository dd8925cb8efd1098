import type { KeyGenerator } from '../../limiter/policy/options.js';
import { optionError } from '../../values/error.js';
import { isPromise } from '../../values/eventual.js';
import { encodeKey, hash, type Key } from '../../values/key.js';
import { checkFunction, checkOptions } from '../../values/option-checks.js';
import type { HttpRequest } from '../node/request.js';
import { checkIpv6Subnet, DEFAULT_IPV6_SUBNET, keyOfIp } from './ip-address.js';

/**
 * Counts by the client's address, as `ipKey` makes it: IPv6 by subnet, all spellings of an address alike. Undefined
 * when the request has no address.
 *
 * @throws SluiceError `SLUICE_OPTION` for an `ipv6Subnet` that is no whole number from 32 to 128 (default 56).
 * @example rateLimit({ limit: 100, window: '1m', keyGenerator: byIp({ ipv6Subnet: 64 }) })
 */
export const byIp = (options: { ipv6Subnet?: number } = {}): ((request: HttpRequest) => Key | undefined) => {
  checkOptions(options, ['ipv6Subnet']);
  const subnet = checkIpv6Subnet(options.ipv6Subnet ?? DEFAULT_IPV6_SUBNET);
  return ({ ip }) => (ip ? keyOfIp(ip, subnet) : undefined);
};

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Counts by a header, such as an API key. The value is hashed (SHA-256), so that no secret reaches a store, a log or an
 * event. Undefined when the header is absent or empty; the values of a repeated one count together.
 *
 * Anyone may send any header: count by one that is verified before, or beside a limit by address.
 *
 * @param name - a field name, in any case.
 * @throws SluiceError `SLUICE_OPTION` for a name that is no token (RFC 9110 section 5.1).
 * @example rateLimit({ limit: 1000, window: '1h', keyGenerator: byHeader('x-api-key') })
 */
export const byHeader = (name: string): ((request: HttpRequest) => Key | undefined) => {
  if (typeof name !== 'string' || !TOKEN.test(name)) throw optionError('name', 'must be the name of a header', name);
  const field = name.toLowerCase();
  return ({ headers }) => {
    const value: unknown = headers[field];
    const text = Array.isArray(value) ? value.join(', ') : value;
    return typeof text === 'string' && text !== '' ? headerKey(field, text) : undefined;
  };
};

/**
 * The key by which `byHeader` counts a value: for `reset` and for keys of one's own.
 *
 * @example await limiter.reset(headerKey('x-api-key', revoked));
 */
export function headerKey(name: string, value: string): readonly ['header', string, string] {
  // By encodeKey, since a hash reads text as UTF-8, in which all ill-formed text is the same.
  return ['header', name.toLowerCase(), hash(encodeKey(value))];
}

/**
 * The first key that there is: the first generator which answers neither null nor undefined. The later ones are not
 * asked. It answers at once unless a generator that it had to ask is asynchronous.
 *
 * @throws SluiceError `SLUICE_OPTION` for no generators, or what is no function.
 * @example rateLimit({ limit: 100, window: '1m', keyGenerator: firstOf(byHeader('x-api-key'), byIp()) })
 */
export function firstOf<Req extends HttpRequest = HttpRequest, Res = unknown>(
  ...keys: KeyGenerator<[req: NoInfer<Req>, res: NoInfer<Res>]>[]
): KeyGenerator<[req: Req, res: Res]> {
  if (keys.length === 0) throw optionError('keys', 'must be one key generator or more', keys);
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
