import type { Encoding } from './encoding.js';

/** The kinds of characters that encoders of text treat alike. */
const COMMON = 0;
/** A small letter with which English words seldom end. */
export const VOWEL = 1;
/** A small letter that is rare in English. */
export const RARE = 2;
export const UPPER = 3;
export const DIGIT = 4;
export const SPACE = 5;
export const LINE_END = 6;
export const PUNCTUATION = 7;
/** A sign that prose hardly has. */
export const PROGRAM_SIGN = 8;
/** A letter with a sign that the languages of Western Europe have, such as `é`. */
export const SIGNED = 9;
/** A letter with a sign that they do not have, such as `ř`. */
export const FAR_SIGNED = 10;
export const VIETNAMESE = 11;
export const CYRILLIC = 12;
/** Cyrillic letters that Russian does not have, except for `ё`. */
export const FAR_CYRILLIC = 13;
/** A letter of another script with spaces between words. The weight of the letter comes on top of what the word costs. */
export const LETTER = 14;
/** Everything else. Its weight is all that counts. */
const OTHER = 15;

/** The class of each ASCII character. */
export const ASCII_CLASSES: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[aiu]/.test(character)) return VOWEL;
  if (/[jkvz]/.test(character)) return RARE;
  if (/[a-z]/.test(character)) return COMMON;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/[0-9]/.test(character)) return DIGIT;
  if (/[\n\r]/.test(character)) return LINE_END;
  if (/[ \t]/.test(character)) return SPACE;
  return /[,.;:!?'"()-]/.test(character) ? PUNCTUATION : PROGRAM_SIGN;
});

/** UTF-16 code units are looked up in blocks of 16. */
export const BLOCK_BITS = 4;

/** From this code unit on, up to the next row: the class, and hundredths of a token for each in `o200k_base` and in `cl100k_base`. */
type Script = readonly [from: number, kind: number, o200k: number, cl100k: number, name: string];

/**
 * What the table of words adds is not in these weights. They were measured on ordinary text of each script. For letters of no frequent
 * script they are close to the number of bytes in UTF-8, because an encoder has hardly any longer tokens there. The second half of a
 * surrogate pair weighs nothing.
 */
const SCRIPTS: readonly Script[] = [
  [0x0080, OTHER, 80, 80, 'signs of Western Europe'],
  [0x00c0, SIGNED, 0, 0, 'Latin with signs'],
  [0x0100, FAR_SIGNED, 0, 0, 'Latin with other signs'],
  [0x0180, FAR_SIGNED, 50, 50, 'rare Latin letters'],
  [0x01a0, VIETNAMESE, 0, 0, 'Vietnamese'],
  [0x01c0, FAR_SIGNED, 50, 50, 'rare Latin letters'],
  [0x0210, FAR_SIGNED, 0, 0, 'Romanian'],
  [0x0220, FAR_SIGNED, 50, 50, 'rare Latin letters'],
  [0x0250, OTHER, 100, 150, 'phonetic letters'],
  [0x0300, OTHER, 130, 180, 'combining signs'],
  [0x0370, LETTER, 180, 200, 'rare Greek letters'],
  [0x0390, LETTER, 33, 97, 'Greek'],
  [0x03d0, LETTER, 180, 200, 'Coptic'],
  [0x0400, FAR_CYRILLIC, 50, 60, 'capitals of Ukrainian, Serbian and others'],
  [0x0410, CYRILLIC, 0, 0, 'Cyrillic'],
  [0x0450, FAR_CYRILLIC, 0, 0, 'Ukrainian, Serbian and others'],
  [0x0460, OTHER, 150, 200, 'rare Cyrillic letters'],
  [0x0530, LETTER, 38, 210, 'Armenian'],
  [0x0590, LETTER, 150, 200, 'signs of Hebrew'],
  [0x05d0, LETTER, 35, 112, 'Hebrew'],
  [0x05f0, LETTER, 120, 200, 'Yiddish'],
  [0x0600, LETTER, 120, 150, 'signs of Arabic'],
  [0x0620, LETTER, 28, 75, 'Arabic'],
  [0x0650, LETTER, 120, 180, 'signs and numbers of Arabic'],
  [0x0680, LETTER, 60, 190, 'rare Arabic letters'],
  [0x06a0, LETTER, 32, 110, 'Persian and Urdu'],
  [0x0700, OTHER, 120, 200, 'Syriac, Thaana, N’Ko'],
  [0x0900, LETTER, 24, 115, 'Devanagari'],
  [0x0950, LETTER, 110, 200, 'rare Devanagari'],
  [0x0960, LETTER, 24, 115, 'Devanagari'],
  [0x0970, LETTER, 150, 200, 'rare Devanagari'],
  [0x0980, LETTER, 37, 142, 'Bengali'],
  [0x09f0, LETTER, 120, 200, 'rare Bengali'],
  [0x0a00, LETTER, 55, 185, 'Gurmukhi'],
  [0x0a50, LETTER, 120, 200, 'rare Gurmukhi'],
  [0x0a80, LETTER, 34, 190, 'Gujarati'],
  [0x0ad0, LETTER, 130, 200, 'rare Gujarati'],
  [0x0b00, LETTER, 110, 290, 'Oriya'],
  [0x0b80, LETTER, 32, 151, 'Tamil'],
  [0x0bd0, LETTER, 180, 200, 'rare Tamil'],
  [0x0c00, LETTER, 37, 195, 'Telugu'],
  [0x0c50, LETTER, 150, 200, 'rare Telugu'],
  [0x0c80, LETTER, 37, 195, 'Kannada'],
  [0x0ce0, LETTER, 150, 200, 'rare Kannada'],
  [0x0d00, LETTER, 30, 185, 'Malayalam'],
  [0x0d50, LETTER, 130, 200, 'rare Malayalam'],
  [0x0d80, LETTER, 60, 210, 'Sinhala'],
  [0x0e00, OTHER, 51, 105, 'Thai'],
  [0x0e50, OTHER, 150, 200, 'numbers of Thai'],
  [0x0e80, OTHER, 190, 225, 'Lao'],
  [0x0f00, OTHER, 150, 210, 'Tibetan'],
  [0x1000, OTHER, 55, 210, 'Burmese'],
  [0x10a0, OTHER, 120, 290, 'old Georgian'],
  [0x10d0, LETTER, 31, 215, 'Georgian'],
  [0x10f0, LETTER, 100, 210, 'Georgian'],
  [0x1100, OTHER, 250, 290, 'parts of Hangul'],
  [0x1200, OTHER, 230, 290, 'Ethiopic'],
  [0x1380, OTHER, 290, 290, 'Cherokee, Canadian syllables, runes'],
  [0x1780, OTHER, 65, 175, 'Khmer'],
  [0x1800, OTHER, 200, 290, 'Mongolian and rare scripts'],
  [0x1e00, FAR_SIGNED, 110, 110, 'rare Latin letters'],
  [0x1ea0, VIETNAMESE, 0, 0, 'Vietnamese'],
  [0x1f00, OTHER, 130, 290, 'ancient Greek'],
  [0x2000, OTHER, 65, 75, 'typographic signs, and the joiners of emoji'],
  [0x2080, OTHER, 110, 150, 'symbols'],
  [0x2e80, OTHER, 200, 290, 'radicals'],
  [0x3000, OTHER, 78, 85, 'signs of China and Japan'],
  [0x3040, OTHER, 90, 115, 'hiragana'],
  [0x30a0, OTHER, 65, 95, 'katakana'],
  [0x3100, OTHER, 200, 290, 'Bopomofo and enclosed signs'],
  [0x3400, OTHER, 290, 290, 'rare ideographs'],
  [0x4e00, OTHER, 84, 137, 'ideographs'],
  [0xa000, OTHER, 230, 290, 'Yi and rare scripts'],
  [0xac00, LETTER, 61, 114, 'Hangul'],
  [0xd7b0, OTHER, 230, 290, 'old Hangul'],
  [0xd800, OTHER, 150, 250, 'first halves: emoji and symbols'],
  [0xd840, OTHER, 385, 385, 'first halves: rare ideographs'],
  [0xd880, OTHER, 300, 385, 'first halves: the rest'],
  [0xdc00, OTHER, 0, 0, 'second halves'],
  [0xe000, OTHER, 230, 290, 'private use'],
  [0xf900, OTHER, 200, 210, 'compatibility'],
  [0xfe00, OTHER, 65, 110, 'variants'],
  [0xff00, OTHER, 100, 120, 'full-width forms'],
];

/** The bits of a block that hold its class. The others hold its weight. */
export const KIND_BITS = 4;
export const KIND_MASK: number = (1 << KIND_BITS) - 1;

/** The class and the weight of each block of code units beyond ASCII: one number, since to read two takes longer. */
export const BLOCKS: Readonly<Record<Encoding, Uint16Array>> = {
  o200k_base: blocksOf('o200k_base'),
  cl100k_base: blocksOf('cl100k_base'),
};

function blocksOf(encoding: Encoding): Uint16Array {
  const blocks = new Uint16Array(0x10000 >> BLOCK_BITS);
  for (const [from, kind, o200k, cl100k] of SCRIPTS) {
    const hundredths = encoding === 'o200k_base' ? o200k : cl100k;
    blocks.fill((hundredths << KIND_BITS) + kind, from >> BLOCK_BITS);
  }
  return blocks;
}
