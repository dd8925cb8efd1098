import { SluiceError, show } from '@sluice/core/src/values/error';
import { encodeKey, pairStarts } from '@sluice/core/src/values/key';
import { checkWhole } from '@sluice/core/src/values/option-checks';
import { ipv4Text, subnetText } from './address-text.js';
import { addressIn } from './ip-address.js';
import { mappedIpv4Text, plainIpv4 } from './plain-address.js';

/**
 * The bits of an IPv6 address that identify one customer. Providers give each customer a /56 or /48, and the customer
 * chooses any address in it.
 */
export const DEFAULT_IPV6_SUBNET = 56;

const KIND = 'ip';

/**
 * Returns the key by which `byIp` counts an address. Use it for `reset`, and in your own key generators.
 *
 * IPv4 counts by address. IPv6 counts by subnet, because one customer has a whole subnet: `2001:db8:0:100::/56`. All
 * notations of an address have the same key: IPv4-mapped and other IPv4-in-IPv6 notations, upper case, zone ids, ports,
 * brackets and spaces around it. A text that is no address is a key as it is, and throws nothing.
 *
 * @param ipv6Subnet - 32 to 128 bits. Default: 56.
 * @throws SluiceError `SLUICE_KEY` if the address is no text; `SLUICE_OPTION` if `ipv6Subnet` is out of range
 * @example ipKey('::ffff:203.0.113.7') // ['ip', '203.0.113.7']
 * @see RFC 5952 for the text, RFC 6177 for the size of subnets
 */
export function ipKey(ip: string, ipv6Subnet: number = DEFAULT_IPV6_SUBNET): readonly ['ip', string] {
  if (typeof ip !== 'string')
    throw new SluiceError('SLUICE_KEY', `ipKey needs the text of an address, got ${show(ip)}: a request may have none`);
  return keyOfIp(ip, checkIpv6Subnet(ipv6Subnet));
}

/**
 * Returns the number of bits.
 *
 * @throws SluiceError `SLUICE_OPTION` if it is no whole number from 32 to 128
 */
export function checkIpv6Subnet(value: unknown): number {
  return checkWhole(value, 'ipv6Subnet', 32, 128);
}

/** Like `ipKey`, without the check, for each request. */
export function keyOfIp(ip: string, ipv6Subnet: number): readonly ['ip', string] {
  return [KIND, clientText(ip, ipv6Subnet) ?? ip];
}

/** IPv6 is counted by subnet: eight groups, and the number of bits. */
const STARTS = pairStarts(KIND, '2001:0db8:0000:0000:0000:0000:0000:0001/128'.length);

/** Returns the encoding of `keyOfIp`. */
export function encodedKeyOfIp(ip: string, ipv6Subnet: number): string {
  const text = clientText(ip, ipv6Subnet);
  return text === undefined ? encodeKey([KIND, ip]) : STARTS[text.length] + text;
}

/** Writes what an address is counted as, in one form for all notations; undefined for a text that is no address. */
function clientText(ip: string, ipv6Subnet: number): string | undefined {
  if (plainIpv4(ip, 0) !== undefined) return ip;
  const mapped = mappedIpv4Text(ip);
  if (mapped !== undefined) return mapped;
  const address = addressIn(ip);
  if (address === undefined) return undefined;
  return typeof address === 'number' ? ipv4Text(address) : subnetText(address, ipv6Subnet);
}
