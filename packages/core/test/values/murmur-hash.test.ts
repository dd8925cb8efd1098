import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { murmurHash } from '../../src/values/murmur-hash.js';

/** The text whose UTF-16 code units are these bytes. */
const ofBytes = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf16le');

describe('murmurHash', () => {
  // Published test values of MurmurHash3_x86_32.
  it.each([
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['', 0xffffffff, 0x81f16f39],
    ['\xff\xff\xff\xff', 0, 0x76293b50],
    ['!Ce\x87', 0, 0xf55b516b],
    ['!Ce\x87', 0x5082edee, 0x2362f9de],
    ['!C', 0, 0xa0f7b07a],
    ['\0\0\0\0', 0, 0x2362f9de],
    ['\0\0', 0, 0x30f4c306],
    ['aaaa', 0x9747b28c, 0x5a97808a],
    ['aa', 0x9747b28c, 0x5d211726],
    ['abcd', 0x9747b28c, 0xf0478627],
    ['ab', 0x9747b28c, 0x74875592],
  ])('of the bytes %j with the seed %p is the published one', (bytes, seed, hash) => {
    expect(murmurHash(ofBytes(bytes), seed)).toBe(hash);
  });

  it('is a whole number below 2^32 that every change of the text changes, but for one in four thousand million', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        const hash = murmurHash(one);
        expect(Number.isInteger(hash) && hash >= 0 && hash < 2 ** 32).toBe(true);
        expect(murmurHash(other) === hash).toBe(one === other);
      }),
      { seed: 64 },
    );
  });
});
