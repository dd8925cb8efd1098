import fc from 'fast-check';

const [FIRST_SURROGATE, SURROGATES, CODE_POINTS] = [0xd800, 0x800, 0x110000];

const character = fc.integer({ min: 0, max: CODE_POINTS - SURROGATES - 1 }).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (text) => {
    const codePoint = (text as string).codePointAt(0) as number;
    return codePoint < FIRST_SURROGATE ? codePoint : codePoint - SURROGATES;
  },
);

/**
 * Any well-formed text: what `fc.string({ unit: 'binary' })` is, which lists all characters there are first. That takes most of a
 * second in each test file.
 */
export const arbitraryText = (length: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...length, unit: character });
