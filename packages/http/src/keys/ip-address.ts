// Why it is so: core/docs/why/keys-and-names.md

import { type IpAddress, isDigit, plainAddress, plainIpv4 } from './plain-address.js';

/**
 * Reads a text that is an address. IPv4 inside IPv6 (mapped, translated, NAT64, compatible) becomes the IPv4 address,
 * and a zone id is dropped.
 *
 * IPv4 has to be four decimal numbers. Undefined for `010.0.0.1` and `127.1`, which systems read differently. IPv6 is what
 * Node's `isIPv6` says, which is not there in every runtime.
 */
export function parseIp(text: string): IpAddress | undefined {
  const ipv4 = plainIpv4(text, 0);
  if (ipv4 !== undefined) return ipv4;
  const zone = text.indexOf('%');
  const address = zone < 0 ? text : text.slice(0, zone);
  return plainAddress(inHex(address));
}

/** Reads the address in a text of a proxy or a socket, which may have spaces, brackets and a port around it. */
export function addressIn(text: string): IpAddress | undefined {
  return plainAddress(text) ?? addressWithin(text);
}

/** Like `addressIn`, for all notations. It is slower for plain ones. */
export function addressWithin(text: string): IpAddress | undefined {
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

/** Writes four decimal numbers at the end of an IPv6 address, as in `64:ff9b::1.2.3.4`, as two words. */
function inHex(text: string): string {
  const end = text.lastIndexOf(':') + 1;
  const ipv4 = plainIpv4(text, end);
  return ipv4 === undefined
    ? text
    : `${text.slice(0, end)}${(ipv4 >>> 16).toString(16)}:${(ipv4 & 0xffff).toString(16)}`;
}
