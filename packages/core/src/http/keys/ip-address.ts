import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { checkWhole } from '../../values/option-checks.js';

/** An address without its notation: IPv4 as one whole number below 2^32, IPv6 as eight 16-bit words. */
export type IpAddress = number | readonly number[];

const [DOT, ZERO, NINE] = [0x2e, 0x30, 0x39];

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/**
 * Reads a text that is an address. IPv4 inside IPv6 (mapped, translated, NAT64, compatible) becomes the IPv4 address,
 * and a zone id is dropped.
 *
 * IPv4 has to be four decimal numbers. Undefined for `010.0.0.1` and `127.1`, which systems read differently. Node's
 * `isIPv6` decides what is IPv6; the library alone accepts more.
 */
export function parseIp(text: string): IpAddress | undefined {
  const ipv4 = parseIpv4(text);
  if (ipv4 !== undefined) return ipv4;
  const zone = text.indexOf('%');
  const address = zone < 0 ? text : text.slice(0, zone);
  if (!isIPv6(address)) return undefined;
  const words = ipaddr.IPv6.parse(inHex(address)).parts;
  return embeddedIpv4(words) ?? words;
}

/** Reads the address in a text of a proxy or a socket, which may have spaces, brackets and a port around it. */
export function addressIn(text: string): IpAddress | undefined {
  const trimmed = text.trim();
  return parseIp(trimmed) ?? parseIp(withoutPort(trimmed));
}

/**
 * Removes the port and the brackets of `1.2.3.4:5678`, `[2001:db8::1]:443` and `[2001:db8::1]`. Other text stays as it
 * is.
 */
function withoutPort(text: string): string {
  const isBracketed = text.startsWith('[');
  const end = isBracketed ? text.indexOf(']') : text.indexOf(':');
  if (end < 0 || !isPort(text, isBracketed ? end + 1 : end)) return text;
  // Brackets are valid only around IPv6, and a single colon starts a port only after IPv4.
  const address = text.slice(isBracketed ? 1 : 0, end);
  return address.includes(':') === isBracketed ? address : text;
}

/** Whether the rest of the text is empty, or a colon and up to five digits. */
function isPort(text: string, from: number): boolean {
  if (from === text.length) return true;
  if (text[from] !== ':' || text.length - from > 6) return false;
  for (let i = from + 1; i < text.length; i += 1) if (!isDigit(text.charCodeAt(i))) return false;
  return true;
}

/** Reads four decimal numbers from 0 to 255 without leading zeros as one number. */
function parseIpv4(text: string): number | undefined {
  const { length } = text;
  if (length < 7 || length > 15) return undefined;
  let [value, octet, dots] = [0, -1, 0];
  for (let i = 0; i < length; i += 1) {
    const code = text.charCodeAt(i);
    if (isDigit(code)) {
      if (octet === 0) return undefined;
      octet = Math.max(octet, 0) * 10 + code - ZERO;
      if (octet > 255) return undefined;
    } else {
      if (code !== DOT || octet < 0) return undefined;
      value = value * 256 + octet;
      octet = -1;
      dots += 1;
    }
  }
  return dots === 3 && octet >= 0 ? value * 256 + octet : undefined;
}

/** Writes an address of 32 bits as four decimal numbers. */
function ipv4Text(ipv4: number): string {
  return `${ipv4 >>> 24}.${(ipv4 >>> 16) & 255}.${(ipv4 >>> 8) & 255}.${ipv4 & 255}`;
}

/** The library reads `::1.2.3.4` as `::ffff:1.2.3.4`, so four decimal numbers at the end are written as two words. */
function inHex(text: string): string {
  const end = text.lastIndexOf(':') + 1;
  const ipv4 = parseIpv4(text.slice(end));
  return ipv4 === undefined
    ? text
    : `${text.slice(0, end)}${(ipv4 >>> 16).toString(16)}:${(ipv4 & 0xffff).toString(16)}`;
}

/** Returns the IPv4 address in the last 32 bits if the first 96 bits are those of a notation for IPv4. */
function embeddedIpv4(words: readonly number[]): number | undefined {
  const [a, b, c, d, e, f, high, low] = words as [number, number, number, number, number, number, number, number];
  if (c !== 0 || d !== 0) return undefined;
  const isNat64 = a === 0x64 && b === 0xff9b && e === 0 && f === 0; // 64:ff9b::/96, RFC 6052
  const isMapped = a === 0 && b === 0 && e === 0 && f === 0xffff; // ::ffff:0:0/96, RFC 4291 section 2.5.5.2
  const isTranslated = a === 0 && b === 0 && e === 0xffff && f === 0; // ::/96, RFC 4291 section 2.5.5.1, except ::, ::1 and all addresses in 0.0.0.0/8, where there are no hosts.
  const isCompatible = a === 0 && b === 0 && e === 0 && f === 0 && high > 0xff;
  return isNat64 || isMapped || isTranslated || isCompatible ? high * 65_536 + low : undefined;
}

/** The mask of a word if this many bits of the prefix are left. */
export function maskOf(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 16 ? 0xffff : (0xffff << (16 - bits)) & 0xffff;
}

/**
 * The bits of an IPv6 address that identify one customer. Providers give each customer a /56 or /48, and the customer
 * chooses any address in it.
 */
export const DEFAULT_IPV6_SUBNET = 56;

/**
 * Returns the key by which `byIp` counts an address. Use it for `reset`, and in your own key generators.
 *
 * IPv4 counts by address. IPv6 counts by subnet, because one customer has a whole subnet: `2001:db8:0:100::/56`. All
 * notations of an address have the same key: IPv4-mapped and other IPv4-in-IPv6 notations, upper case, zone ids, ports,
 * brackets and spaces around it. A text that is no address is a key as it is, and throws nothing.
 *
 * @param ipv6Subnet - 32 to 128 bits. Default: 56.
 * @throws SluiceError `SLUICE_OPTION` if `ipv6Subnet` is out of range
 * @example ipKey('::ffff:203.0.113.7') // ['ip', '203.0.113.7']
 * @see RFC 5952 for the text, RFC 6177 for the size of subnets
 */
export function ipKey(ip: string, ipv6Subnet: number = DEFAULT_IPV6_SUBNET): readonly ['ip', string] {
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
  if (parseIpv4(ip) !== undefined) return ['ip', ip];
  const address = addressIn(ip);
  if (address === undefined) return ['ip', ip];
  return ['ip', typeof address === 'number' ? ipv4Text(address) : subnetText(address, ipv6Subnet)];
}

function subnetText(words: readonly number[], subnet: number): string {
  const masked = words.map((word, i) => word & maskOf(subnet - 16 * i));
  return `${new ipaddr.IPv6(masked).toRFC5952String()}/${subnet}`;
}
