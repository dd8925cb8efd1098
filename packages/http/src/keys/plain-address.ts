// Why it is so: core/docs/why/keys-and-names.md

import { embeddedIpv4 } from './embedded-ipv4.js';

/** An address without its notation: IPv4 as one whole number below 2^32, IPv6 as eight 16-bit words. */
export type IpAddress = number | readonly number[];

const [DOT, ZERO, NINE, COLON] = [0x2e, 0x30, 0x39, 0x3a];
const [LOWER_A, LOWER_F, LOWER_CASE] = [0x61, 0x66, 0x20];

/** A socket for both families writes this before an IPv4 address. */
const MAPPED = '::ffff:';

const [SHORTEST_IPV4, LONGEST_IPV4] = [7, 15];
const [SHORTEST_IPV6, LONGEST_IPV6] = [2, 39];
const WORDS = 8;

/**
 * Reads an address in a notation that nearly all requests have: IPv4 as four decimal numbers, the same after `::ffff:`,
 * and IPv6 as groups of hexadecimal digits. It reads each character once, and needs no regular expression.
 *
 * Undefined for all other text, which may be an address in another notation: see `parseIp`.
 */
export function plainAddress(text: string): IpAddress | undefined {
  return plainIpv4(text, 0) ?? mappedIpv4(text) ?? plainIpv6(text);
}

/** Returns the four decimal numbers after `::ffff:`; undefined for all other text. */
export function mappedIpv4Text(text: string): string | undefined {
  return mappedIpv4(text) === undefined ? undefined : text.slice(MAPPED.length);
}

/** Reads the text from a place on as one number: four decimal numbers from 0 to 255 without leading zeros. */
export function plainIpv4(text: string, start: number): number | undefined {
  const { length } = text;
  if (length < start + SHORTEST_IPV4 || length > start + LONGEST_IPV4) return undefined;
  let value = 0;
  let octet = -1;
  let dots = 0;
  for (let i = start; i < length; i += 1) {
    const code = text.charCodeAt(i);
    if (code >= ZERO && code <= NINE) {
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

/** Whether a character is a decimal digit. */
export function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function mappedIpv4(text: string): number | undefined {
  return text.startsWith(MAPPED) ? plainIpv4(text, MAPPED.length) : undefined;
}

/** Reads groups of up to four hexadecimal digits, with one `::` for those that are missing. */
function plainIpv6(text: string): IpAddress | undefined {
  const { length } = text;
  if (length < SHORTEST_IPV6 || length > LONGEST_IPV6) return undefined;
  const words = [0, 0, 0, 0, 0, 0, 0, 0];
  let count = 0;
  let gap = -1;
  let word = 0;
  let digits = 0;
  for (let i = 0; i < length; i += 1) {
    const code = text.charCodeAt(i);
    if (code !== COLON) {
      const digit = hexDigit(code);
      if (digit < 0 || digits === 4) return undefined;
      word = word * 16 + digit;
      digits += 1;
      continue;
    }
    const isDouble = text.charCodeAt(i + 1) === COLON;
    if (digits === 0 ? i > 0 || !isDouble : count === WORDS - 1) return undefined;
    if (digits > 0) words[count++] = word;
    word = 0;
    digits = 0;
    if (!isDouble) continue;
    if (gap >= 0) return undefined;
    gap = count;
    i += 1;
  }
  if (digits > 0) words[count++] = word;
  else if (gap !== count) return undefined;
  if (gap < 0 ? count < WORDS : count === WORDS) return undefined;
  if (gap >= 0) fillGap(words, gap, WORDS - count);
  return embeddedIpv4(words) ?? words;
}

/** Returns the value of a hexadecimal digit; -1 for another character. */
function hexDigit(code: number): number {
  if (isDigit(code)) return code - ZERO;
  const lower = code | LOWER_CASE;
  return lower >= LOWER_A && lower <= LOWER_F ? lower - LOWER_A + 10 : -1;
}

/** Moves the words behind the gap to the end, and sets the missing ones to 0. */
function fillGap(words: number[], gap: number, missing: number): void {
  for (let i = WORDS - 1; i >= gap; i -= 1) words[i] = i < gap + missing ? 0 : (words[i - missing] as number);
}
