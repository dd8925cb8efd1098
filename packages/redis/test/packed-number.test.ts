import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { packedNumber } from '../src/packed-number.js';

/** As `struct` reads seven bytes, the lowest one first. */
const fieldOf = (text: string): number => [...text].reduceRight((sum, sign) => sum * 256 + sign.charCodeAt(0), 0);

it('A packed number is two fields, of which the second counts sixteen times, in characters of one byte', () => {
  const numbers = fc.oneof(
    fc.nat(300),
    fc.maxSafeNat(),
    fc.constantFrom(2 ** 28 - 1, 2 ** 28, Number.MAX_SAFE_INTEGER),
  );
  fc.assert(
    fc.property(numbers, (number) => {
      const packed = packedNumber(number);
      expect(Buffer.byteLength(packed)).toBe(14);
      expect(fieldOf(packed.slice(0, 7)) + 16 * fieldOf(packed.slice(7))).toBe(number);
    }),
  );
});
