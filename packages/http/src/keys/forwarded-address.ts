import { type AddressList, isAddressList } from './address-list.js';
import type { ProxyTrust } from './proxy-trust.js';

/**
 * Returns the address of the client: goes from the connection towards it, past the proxies. A client may have written the addresses
 * to the left of its own.
 *
 * @param forwarded - the field `X-Forwarded-For`; undefined if there is none
 * @param connected - the address of the connected peer
 * @param isProxy - whether an address is that of a proxy of the application
 */
export function forwardedAddress(
  forwarded: string | undefined,
  connected: string | undefined,
  isProxy: (address: string | undefined) => boolean,
): string | undefined {
  if (forwarded === undefined) return connected;
  let address = connected;
  for (let end = forwarded.length; isProxy(address) && end >= 0; ) {
    const comma = forwarded.lastIndexOf(',', end - 1);
    const before = forwarded.slice(comma + 1, end).trim();
    if (before === '') break;
    address = before;
    end = comma;
  }
  return address;
}

/** Returns whose `X-Forwarded-For` is believed if these addresses and ranges are the proxies. A list that can be replaced names some. */
export function trustInProxies(proxies: readonly string[] | AddressList): ProxyTrust {
  if (isAddressList(proxies)) return 'some';
  if (proxies.length === 0) return 'none';
  return proxies.some((range) => range.endsWith('/0')) ? 'all' : 'some';
}
