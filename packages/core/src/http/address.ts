import ipaddr from 'ipaddr.js';
import { checkWhole } from '../option-checks.js';
import { type IpAddress, ipv4Text, parseIp, parseIpv4 } from './ip-address.js';

/** Bits of an IPv6 address that one customer gets: providers hand out /56 or /48, and every host in it at will. */
export const IPV6_SUBNET = 56;

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
export function ipKey(ip: string, ipv6Subnet: number = IPV6_SUBNET): readonly ['ip', string] {
  return keyOfIp(ip, checkIpv6Subnet(ipv6Subnet));
}

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

/** The address in what a proxy or a socket may report: blanks, brackets and a port around it. */
export function addressIn(text: string): IpAddress | undefined {
  const trimmed = text.trim();
  return parseIp(trimmed) ?? parseIp(withoutPort(trimmed));
}

/** `1.2.3.4:5678`, `[2001:db8::1]:443` and `[2001:db8::1]` without what is around the address; other text as it is. */
function withoutPort(text: string): string {
  const isBracketed = text.startsWith('[');
  const end = isBracketed ? text.indexOf(']') : text.indexOf(':');
  if (end < 0 || !isPort(text, isBracketed ? end + 1 : end)) return text;
  // Brackets are for IPv6 alone, and a single colon makes a port only after IPv4.
  const address = text.slice(isBracketed ? 1 : 0, end);
  return address.includes(':') === isBracketed ? address : text;
}

/** Nothing, or a colon and up to five digits, to the end. */
function isPort(text: string, from: number): boolean {
  if (from === text.length) return true;
  if (text[from] !== ':' || text.length - from > 6) return false;
  for (let i = from + 1; i < text.length; i += 1)
    if (!(text.charCodeAt(i) >= 48 && text.charCodeAt(i) <= 57)) return false;
  return true;
}

function subnetText(words: readonly number[], subnet: number): string {
  const masked = words.map((word, i) => word & maskOf(subnet - 16 * i));
  return `${new ipaddr.IPv6(masked).toRFC5952String()}/${subnet}`;
}

/** A word's mask when so many bits are left of the prefix. */
export function maskOf(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 16 ? 0xffff : (0xffff << (16 - bits)) & 0xffff;
}
