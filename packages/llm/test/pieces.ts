import fc from 'fast-check';

/** Cuts bytes at random places, also inside of characters and line ends. */
export function cutAt(bytes: Uint8Array, cutIndexes: readonly number[]): Uint8Array[] {
  const cuts = [...new Set(cutIndexes.map((index) => index % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...cuts, bytes.length].map((cut, i) => bytes.subarray(cuts[i - 1] ?? 0, cut));
}

/** Places to cut at: few, or so many that most pieces are single bytes. */
export const cutIndexes: fc.Arbitrary<readonly number[]> = fc.oneof(
  fc.array(fc.nat(), { maxLength: 8 }),
  fc.array(fc.nat(), { minLength: 200, maxLength: 400 }),
);

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
