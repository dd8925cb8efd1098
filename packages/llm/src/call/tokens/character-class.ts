/** The kinds of characters that encoders of text treat alike. */
export const LOWER = 0;
export const UPPER = 1;
export const DIGIT = 2;
export const SPACE = 3;
export const LINE_END = 4;
export const PUNCTUATION = 5;
/** A letter of a Latin alphabet with a sign, such as `é`: it continues a word. */
export const SIGNED = 6;
/** Everything else. Its weight is all that counts. */
const OTHER = 7;

/** The class of each ASCII character. */
export const ASCII_CLASSES: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/[0-9]/.test(character)) return DIGIT;
  if (/[\n\r]/.test(character)) return LINE_END;
  return /[ \t]/.test(character) ? SPACE : PUNCTUATION;
});

/** UTF-16 code units are looked up in blocks of 32. */
export const BLOCK_BITS = 5;

/**
 * Hundredths of a token for a code unit beyond ASCII: from this code on, up to the next row. They were measured with
 * o200k_base, on ordinary text of each script; spaces between words are part of them. For letters of no frequent script it
 * is close to the number of bytes in UTF-8, because an encoder has hardly any longer tokens there. The second half of a
 * surrogate pair weighs nothing.
 */
const WEIGHTS: readonly (readonly [from: number, hundredths: number, script: string])[] = [
  [0x0080, 35, 'Latin with signs'],
  [0x0180, 110, 'rare Latin letters'],
  [0x0240, 100, 'phonetic letters'],
  [0x0300, 130, 'combining signs'],
  [0x0380, 42, 'Greek'],
  [0x0400, 28, 'Cyrillic'],
  [0x0460, 150, 'rare Cyrillic letters'],
  [0x0540, 50, 'Armenian'],
  [0x0580, 42, 'Hebrew'],
  [0x0600, 40, 'Arabic'],
  [0x06a0, 48, 'Persian and Urdu'],
  [0x0700, 120, 'Syriac, Thaana, N’Ko'],
  [0x0900, 42, 'scripts of India'],
  [0x0b00, 60, 'Oriya'],
  [0x0b80, 42, 'scripts of India'],
  [0x0d00, 50, 'Malayalam and Sinhala'],
  [0x0e00, 48, 'Thai'],
  [0x0e80, 80, 'Lao'],
  [0x0f00, 150, 'Tibetan'],
  [0x1000, 50, 'Burmese'],
  [0x10a0, 120, 'old Georgian'],
  [0x10c0, 42, 'Georgian'],
  [0x1100, 120, 'parts of Hangul'],
  [0x1200, 180, 'Ethiopic'],
  [0x1380, 260, 'Cherokee, Canadian syllables, runes'],
  [0x1780, 80, 'Khmer'],
  [0x1800, 200, 'Mongolian and rare scripts'],
  [0x1e00, 110, 'rare Latin letters'],
  [0x1ea0, 35, 'Vietnamese'],
  [0x1f00, 100, 'ancient Greek'],
  [0x2000, 65, 'typographic signs, and the joiners of emoji'],
  [0x2080, 110, 'symbols'],
  [0x2e80, 200, 'radicals'],
  [0x3000, 75, 'kana'],
  [0x3100, 150, 'Bopomofo and enclosed signs'],
  [0x3400, 200, 'rare ideographs'],
  [0x4e00, 80, 'ideographs'],
  [0xa000, 230, 'Yi and rare scripts'],
  [0xac00, 76, 'Hangul'],
  [0xd7c0, 230, 'old Hangul'],
  [0xd800, 150, 'first halves: emoji and symbols'],
  [0xd840, 385, 'first halves: rare ideographs'],
  [0xd880, 300, 'first halves: the rest'],
  [0xdc00, 0, 'second halves'],
  [0xe000, 230, 'private use'],
  [0xf900, 200, 'compatibility'],
  [0xfe00, 65, 'variants'],
  [0xff00, 100, 'full-width forms'],
];

/** The weight of each block of code units, in hundredths of a token. */
export const BLOCK_WEIGHTS: Uint16Array = new Uint16Array(0x10000 >> BLOCK_BITS);
/** The class of each block of code units beyond ASCII. */
export const BLOCK_CLASSES: Uint8Array = new Uint8Array(0x10000 >> BLOCK_BITS).fill(OTHER);

for (const [from, hundredths] of WEIGHTS) BLOCK_WEIGHTS.fill(hundredths, from >> BLOCK_BITS);
BLOCK_CLASSES.fill(SIGNED, 0x0080 >> BLOCK_BITS, 0x0240 >> BLOCK_BITS);
BLOCK_CLASSES.fill(SIGNED, 0x1e00 >> BLOCK_BITS, 0x1f00 >> BLOCK_BITS);
