// Why it is so: docs/why/keys-and-names.md

const { imul } = Math;

const scramble = (word: number): number => {
  const mixed = imul(word, 0xcc9e2d51);
  return imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
};

/**
 * Returns the 32-bit MurmurHash3 of a text, as its UTF-16 code units in little-endian order: 0 to 2^32 - 1. It takes
 * some tens of nanoseconds and is the same in every process. It is no secret, and anybody can find texts with a certain
 * hash.
 *
 * After Austin Appleby, MurmurHash3_x86_32, https://github.com/aappleby/smhasher (public domain).
 */
export function murmurHash(text: string, seed = 0): number {
  const { length } = text;
  let hash = seed;
  for (let i = 1; i < length; i += 2) {
    hash ^= scramble(text.charCodeAt(i - 1) | (text.charCodeAt(i) << 16));
    hash = (imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  if (length % 2 === 1) hash ^= scramble(text.charCodeAt(length - 1));
  hash ^= 2 * length;
  hash = imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
