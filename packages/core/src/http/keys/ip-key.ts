import ipaddr from 'ipaddr.js';
import { checkWhole } from '../../values/option-checks.js';
import { addressIn, ipv4Text, maskOf, parseIpv4 } from './ip-address.js';

/** Bits of an IPv6 address that one customer gets: providers hand out /56 or /48, and every host in it at will. */
export const DEFAULT_IPV6_SUBNET = 56;

/**
 * The key by which `byIp` counts an address: for `reset` and for keys of one's own.
 *
 * IPv4 stands for itself; IPv6 is grouped, since one customer holds a whole subnet: `2001:db8:0:100::/56`. All spellings of
 * an address share a key: IPv4-mapped and other IPv4-in-IPv6 notations, upper case, zone ids, ports, brackets, blanks around.
 * What is no address is a key of its own, as it was given; nothing is thrown for it.
 *
 * @param ipv6Subnet - 32 to 128 bits; default 56.
 * @throws SluiceError `SLUICE_OPTION` for an `ipv6Subnet` outside its range.
 * @example ipKey('::ffff:203.0.113.7') // ['ip', '203.0.113.7']
 * @see RFC 5952 for the text, RFC 6177 for the size of subnets
 */
export function ipKey(ip: string, ipv6Subnet: number = DEFAULT_IPV6_SUBNET): readonly ['ip', string] {
  return keyOfIp(ip, checkIpv6Subnet(ipv6Subnet));
}

/** @throws SluiceError `SLUICE_OPTION` for what is no number of bits from 32 to 128 */
export function checkIpv6Subnet(value: unknown): number {
  return checkWhole(value, 'ipv6Subnet', 32, 128);
}

/** `ipKey` without its check, for each request. */
export function keyOfIp(ip: string, ipv6Subnet: number): readonly ['ip', string] {
  if (parseIpv4(ip) !== undefined) return ['ip', ip];
  const address = addressIn(ip);
  if (address === undefined) return ['ip', ip];
  return ['ip', typeof address === 'number' ? ipv4Text(address) : subnetText(address, ipv6Subnet)];
}

function subnetText(words: readonly number[], subnet: number): string {
  const masked = words.map((word, i) => word & maskOf(subnet - 16 * i));
  return `${new ipaddr.IPv6(masked).toRFC5952String()}/${subnet}`;
}
