import { optionError } from '@sluice/core/src/values/error';
import { type AddressRange, AddressRanges } from './address-ranges.js';
import { maskOf } from './address-text.js';
import { addressIn, parseIp } from './ip-address.js';

/** A list of addresses that can be replaced while an application runs: an `allowList` or a `denyList`. */
export interface AddressList {
  /** Returns whether an address is in the list. A missing or invalid address is in no list. */
  has(ip: string | undefined): boolean;
  /**
   * Replaces the whole list. Requests that come from now on see the new one.
   *
   * @throws SluiceError `SLUICE_OPTION` if an entry is no address or range; the list stays as it is then
   */
  replace(entries: readonly string[]): void;
}

/**
 * Makes a list of addresses and CIDR ranges that you can replace later. Each list is parsed once.
 *
 * @throws SluiceError `SLUICE_OPTION` if an entry is no address or range
 * @example
 * const denied = addressList(['203.0.113.7']);
 * app.use(rateLimit({ limit: 100, window: '1m', denyList: denied }));
 * denied.replace(['203.0.113.7', '198.51.100.0/24']);
 */
export function addressList(initial: readonly string[] = []): AddressList {
  let matches = addressMatcher(initial, 'addressList');
  return {
    has: (ip) => matches(ip),

    replace(entries) {
      matches = addressMatcher(entries, 'addressList');
    },
  };
}

/** Whether the value is a list that can be replaced. */
export function isAddressList(list: unknown): list is AddressList {
  const { has, replace } = (list ?? {}) as Partial<AddressList>;
  return typeof has === 'function' && typeof replace === 'function';
}

/** Returns whether an address is in a list. A missing or invalid address is in no list. */
type AddressMatcher = (ip: string | undefined) => boolean;

/**
 * Makes a matcher for addresses and CIDR ranges: `['203.0.113.7', '10.0.0.0/8', '2001:db8::/32']`. It reads addresses
 * as `ipKey` does, so IPv4 entries also match IPv4-mapped and other notations. `::/0` is all of IPv6, and no IPv4. Bits
 * after the prefix of a range are ignored.
 *
 * @param path - the name of the option, for errors: a wrong entry is `allowList[2]`
 * @throws SluiceError `SLUICE_OPTION` if an entry is no address or range
 * @see RFC 4632 for the notation
 */
export function addressMatcher(entries: readonly string[] | AddressList, path: string): AddressMatcher {
  if (isAddressList(entries)) return (ip) => entries.has(ip);
  if (!Array.isArray(entries)) throw optionError(path, 'must be an array of addresses and CIDR ranges', entries);
  if (entries.length === 0) return () => false;
  const ranges = new AddressRanges(Array.from(entries, (entry, i) => parseRange(entry, `${path}[${i}]`)));
  return (ip) => {
    const address = ip === undefined ? undefined : addressIn(ip);
    return address !== undefined && ranges.has(address);
  };
}

function parseRange(entry: unknown, path: string): AddressRange {
  const text = typeof entry === 'string' && !entry.includes('%') ? entry : '';
  const slash = text.indexOf('/');
  const base = parseIp(slash < 0 ? text : text.slice(0, slash));
  if (base === undefined) throw notARange(path, entry);
  const isEmbedded = typeof base === 'number' && text.includes(':');
  const bits = typeof base === 'number' && !isEmbedded ? 32 : 128;
  const prefix = slash < 0 ? bits : prefixLength(text.slice(slash + 1));
  if (prefix === undefined || prefix > bits) throw notARange(path, entry);
  // 64:ff9b::/96 means "all clients behind NAT64", but would match all of IPv4. A range of IPv4 can be written as such.
  if (isEmbedded && prefix < 128) throw optionError(path, 'must be a range of IPv4 in its own notation', entry);
  if (typeof base !== 'number') return ipv6Range(base, prefix);
  const size = isEmbedded ? 1 : 2 ** (32 - prefix);
  const first = base - (base % size);
  return { first, last: first + size - 1 };
}

function ipv6Range(base: readonly number[], prefix: number): AddressRange {
  const masks = base.map((_, i) => maskOf(prefix - 16 * i));
  return {
    first: base.map((word, i) => word & (masks[i] as number)),
    last: base.map((word, i) => word | (~(masks[i] as number) & 0xffff)),
  };
}

function prefixLength(text: string): number | undefined {
  return /^(0|[1-9]\d{0,2})$/.test(text) ? Number(text) : undefined;
}

function notARange(path: string, entry: unknown): Error {
  return optionError(path, "must be an address or a CIDR range like '10.0.0.0/8'", entry);
}
