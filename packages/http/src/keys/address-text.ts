const WORDS = 8;
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16));
const PADDED_BYTES = BYTES.map((hex) => hex.padStart(2, '0'));

/** Writes an address of 32 bits as four decimal numbers. */
export function ipv4Text(ipv4: number): string {
  return `${ipv4 >>> 24}.${(ipv4 >>> 16) & 255}.${(ipv4 >>> 8) & 255}.${ipv4 & 255}`;
}

/**
 * Writes the network of an IPv6 address: the bits of its prefix, and their number. The longest run of zeros becomes
 * `::`, the first one of several.
 *
 * @see RFC 5952 section 4
 */
export function subnetText(words: readonly number[], bits: number): string {
  let start = 0;
  let length = 1;
  let zeros = 0;
  for (let i = 0; i < WORDS; i += 1) {
    zeros = maskedWord(words, i, bits) === 0 ? zeros + 1 : 0;
    if (zeros <= length) continue;
    length = zeros;
    start = i + 1 - zeros;
  }
  if (length === 1) return `${groups(words, bits, 0, WORDS)}/${bits}`;
  return `${groups(words, bits, 0, start)}::${groups(words, bits, start + length, WORDS)}/${bits}`;
}

function groups(words: readonly number[], bits: number, from: number, to: number): string {
  let text = '';
  for (let i = from; i < to; i += 1) {
    if (i > from) text += ':';
    text += hex(maskedWord(words, i, bits));
  }
  return text;
}

function maskedWord(words: readonly number[], i: number, bits: number): number {
  return (words[i] as number) & maskOf(bits - 16 * i);
}

/** The mask of a word if this many bits of the prefix are left. */
export function maskOf(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 16 ? 0xffff : (0xffff << (16 - bits)) & 0xffff;
}

function hex(word: number): string {
  return word < 256 ? (BYTES[word] as string) : `${BYTES[word >> 8]}${PADDED_BYTES[word & 255]}`;
}
