import type { Encoding } from './encoding.js';

/** The costs of what an encoder reads, in hundredths of a token. */
export interface WordCosts {
  /** A word of Latin letters, and its letters by their place in it: in English text, and in text of other languages. */
  readonly english: LatinCosts;
  readonly foreign: LatinCosts;
  /** These letters cost so much more than others. The first letter of a word has no such cost. */
  readonly signedLetter: number;
  readonly farSignedLetter: number;
  readonly vietnameseLetter: number;
  readonly russian: CyrillicCosts;
  readonly otherCyrillic: CyrillicCosts;
  readonly farCyrillicLetter: number;
  /** A word of any other script. Its letters have weights. */
  readonly otherWord: number;
  /** What each letter costs on top of its weight, in a run that is too long for a word. */
  readonly letterOfNoOtherWord: number;
  readonly gluedWord: number;
  readonly gluedLetter: number;
  readonly lateGluedLetter: number;
  readonly letterOfNoWord: number;
  readonly sameLetter: number;
  readonly capital: number;
  readonly wordAfterCapitals: number;
  readonly signBeforeWord: number;
  readonly digits: number;
  readonly spaceBeforeDigits: number;
  readonly moreSpaces: number;
  readonly manySpaces: number;
  readonly line: number;
  readonly moreLines: number;
  readonly sign: number;
  readonly otherSign: number;
  readonly sameSign: number;
}

interface LatinCosts {
  readonly word: number;
  readonly letter: number;
  readonly middleLetter: number;
  readonly lateLetter: number;
  /** What a letter costs on top that is rare in English. */
  readonly rareLetter: number;
}

interface CyrillicCosts {
  readonly word: number;
  readonly letter: number;
  readonly lateLetter: number;
}

/** Signs, numbers, spaces and what is hardly a word: the encodings hardly differ. */
const COMMON_COSTS = {
  gluedWord: 100,
  gluedLetter: 25,
  lateGluedLetter: 47,
  letterOfNoWord: 42,
  sameLetter: 13,
  capital: 25,
  wordAfterCapitals: 30,
  signBeforeWord: -40,
  digits: 100,
  spaceBeforeDigits: 70,
  moreSpaces: 100,
  manySpaces: 3,
  line: 100,
  moreLines: 8,
  sign: 80,
  otherSign: 50,
  sameSign: 8,
} as const;

/** Fitted to the texts of `packages/llm/test/call/languages.ts`, so that few languages come out low. */
export const WORD_COSTS: Readonly<Record<Encoding, WordCosts>> = {
  o200k_base: {
    ...COMMON_COSTS,
    english: { word: 100, letter: 0, middleLetter: 2, lateLetter: 27, rareLetter: 0 },
    foreign: { word: 102, letter: 3, middleLetter: 16, lateLetter: 31, rareLetter: 56 },
    signedLetter: 42,
    farSignedLetter: 79,
    vietnameseLetter: 27,
    russian: { word: 65, letter: 15, lateLetter: 34 },
    otherCyrillic: { word: 73, letter: 32, lateLetter: 48 },
    farCyrillicLetter: 64,
    otherWord: 57,
    letterOfNoOtherWord: 50,
  },
  cl100k_base: {
    ...COMMON_COSTS,
    english: { word: 100, letter: 0, middleLetter: 3, lateLetter: 42, rareLetter: 50 },
    foreign: { word: 106, letter: 16, middleLetter: 20, lateLetter: 46, rareLetter: 62 },
    signedLetter: 49,
    farSignedLetter: 96,
    vietnameseLetter: 125,
    russian: { word: 78, letter: 50, lateLetter: 62 },
    otherCyrillic: { word: 86, letter: 66, lateLetter: 75 },
    farCyrillicLetter: 61,
    otherWord: 65,
    letterOfNoOtherWord: 50,
  },
};
