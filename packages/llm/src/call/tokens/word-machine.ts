import {
  CYRILLIC,
  DIGIT,
  FAR_CYRILLIC,
  FAR_SIGNED,
  LETTER,
  LINE_END,
  PROGRAM_SIGN,
  PUNCTUATION,
  RARE,
  SIGNED,
  SPACE,
  UPPER,
  VIETNAMESE,
  VOWEL,
} from './character-class.js';
import type { Encoding } from './encoding.js';
import { WORD_COSTS, type WordCosts } from './word-costs.js';

type Run = 'nothing' | 'letters' | 'Cyrillic' | 'other letters' | 'digits' | 'spaces' | 'lines' | 'signs' | 'other';

/**
 * What an encoder of text has just read. Encoders split text before they look tokens up: words with the space or the sign before
 * them, capitals that begin a word, three digits at most, runs of signs, runs of spaces.
 */
interface State {
  readonly run: Run;
  /** Characters of the run so far, up to the number from which all more are alike. */
  readonly length: number;
  readonly isUpper: boolean;
  /** Whether the word follows another one without a space: parts of `camelCase`, of hashes and of base64. */
  readonly isGlued: boolean;
  /** Whether the last letter is one with which English words seldom end. */
  readonly isVowel: boolean;
  /**
   * How little the last words looked like English, or a Cyrillic text like Russian: 0 to 7. Encoders have most English words as one
   * token, and cut those of other languages.
   */
  readonly foreign: number;
}

interface Step {
  readonly next: State;
  /** Hundredths of a token that this character adds. */
  readonly hundredths: number;
}

/** The first letter of the middle of a word. */
const MIDDLE_LETTER = 4;
/** Letters after these come late in a word. */
const SHORT_WORD = 7;
/** Runs of letters that are longer are hardly words. */
const LONG_WORD = 16;
/** The first letter that comes late in a Cyrillic word. */
const LATE_CYRILLIC_LETTER = 5;
/** Words of Tamil and others are longer, since their vowels are characters of their own. */
const LONG_OTHER_WORD = 24;

/** Shorter words say little about their language by their last letter. */
const TELLING_WORD = 3;
const MOST_FOREIGN = 7;
/** One rare letter proves nothing: English has some. */
const FOREIGN_TEXT = 2;
/** What a word says that ends as hardly any English one does. Any other end takes one back. */
const FOREIGN_END = 2;
/** What letters say about the language. */
const FOREIGN: Readonly<Record<number, number>> = {
  [RARE]: 1,
  [SIGNED]: 2,
  [FAR_SIGNED]: 4,
  [VIETNAMESE]: 7,
  [FAR_CYRILLIC]: 3,
};

const NOTHING: State = within('nothing', 0, 0);

function within(run: Run, length: number, foreign: number): State {
  return { run, length, isUpper: false, isGlued: false, isVowel: false, foreign };
}

/** Returns what a character adds, and the state after it. */
function step(state: State, kind: number, isSame: boolean, costs: WordCosts): Step {
  if (kind <= UPPER || (kind >= SIGNED && kind <= VIETNAMESE)) return readLatin(state, kind, isSame, costs);
  if (kind === CYRILLIC || kind === FAR_CYRILLIC) return readCyrillic(state, kind, costs);
  const foreign = foreignAfter(state);
  if (kind === LETTER) return readOther(state, costs);
  if (kind === DIGIT) return readDigit(state, costs);
  if (kind === SPACE) return readSpace(state, foreign, costs);
  if (kind === LINE_END) return readLineEnd(state, foreign, costs);
  if (kind === PUNCTUATION) return readSign(state, foreign, isSame, costs);
  if (kind === PROGRAM_SIGN) return readSign(state, 0, isSame, costs);
  return { next: within('other', 0, foreign), hundredths: 0 };
}

function readLatin(state: State, kind: number, isSame: boolean, costs: WordCosts): Step {
  const isUpper = kind === UPPER;
  const isVowel = kind === VOWEL;
  if (state.run === 'letters' && (!isUpper || state.isUpper)) {
    const length = state.length + 1;
    const foreign = state.isGlued ? 0 : foreignWith(kind, state.foreign);
    const { isGlued } = state;
    const next: State = {
      run: 'letters',
      length: Math.min(length, LONG_WORD),
      isUpper,
      isGlued,
      isVowel: isVowel && !isGlued,
      foreign,
    };
    return { next, hundredths: extraOf(kind, next, costs) + costOfLetter(length, next, state, isSame, costs) };
  }
  const isGlued = state.run === 'letters' || state.run === 'digits';
  const foreign = isGlued ? 0 : foreignWith(kind, foreignAfter(state));
  const next: State = { run: 'letters', length: 1, isUpper, isGlued, isVowel: isVowel && !isGlued, foreign };
  const word = isGlued ? costs.gluedWord : latinCosts(foreign, costs).word;
  return { next, hundredths: word + (kind === RARE ? extraOf(kind, next, costs) : 0) + afterSign(state, costs) };
}

function costOfLetter(
  length: number,
  { isUpper, isGlued, foreign }: State,
  last: State,
  isSame: boolean,
  costs: WordCosts,
): number {
  if (isSame && length > SHORT_WORD) return costs.sameLetter;
  let cost = 0;
  if (isUpper) cost += costs.capital;
  else if (last.isUpper && length > 2) cost += costs.wordAfterCapitals;
  if (length > LONG_WORD) return cost + costs.letterOfNoWord;
  if (isGlued) return cost + (length > SHORT_WORD ? costs.lateGluedLetter : costs.gluedLetter);
  if (isUpper) return cost + (length > SHORT_WORD ? costs.english.lateLetter : 0);
  const { letter, middleLetter, lateLetter } = latinCosts(foreign, costs);
  if (length > SHORT_WORD) return cost + lateLetter;
  return cost + (length < MIDDLE_LETTER ? letter : middleLetter);
}

function latinCosts(foreign: number, { english, foreign: other }: WordCosts): WordCosts['english'] {
  return foreign < FOREIGN_TEXT ? english : other;
}

function extraOf(kind: number, { isGlued, foreign }: State, costs: WordCosts): number {
  if (kind === SIGNED) return costs.signedLetter;
  if (kind === FAR_SIGNED) return costs.farSignedLetter;
  if (kind === VIETNAMESE) return costs.vietnameseLetter;
  return kind === RARE && !isGlued ? latinCosts(foreign, costs).rareLetter : 0;
}

function afterSign({ run }: State, { signBeforeWord }: WordCosts): number {
  return run === 'signs' ? signBeforeWord : 0;
}

function readCyrillic(state: State, kind: number, costs: WordCosts): Step {
  const isWord = state.run !== 'Cyrillic';
  const foreign = foreignWith(kind, isWord ? foreignAfter(state) : state.foreign);
  const length = isWord ? 1 : Math.min(state.length + 1, LATE_CYRILLIC_LETTER);
  const { word, letter, lateLetter } = foreign < FOREIGN_TEXT ? costs.russian : costs.otherCyrillic;
  let hundredths = kind === FAR_CYRILLIC ? costs.farCyrillicLetter : 0;
  if (isWord) hundredths += word + afterSign(state, costs);
  else hundredths += length < LATE_CYRILLIC_LETTER ? letter : lateLetter;
  return { next: within('Cyrillic', length, foreign), hundredths };
}

function readOther({ run, length }: State, costs: WordCosts): Step {
  if (run !== 'other letters') return { next: within('other letters', 1, 0), hundredths: costs.otherWord };
  const isLong = length === LONG_OTHER_WORD;
  return {
    next: within('other letters', isLong ? length : length + 1, 0),
    hundredths: isLong ? costs.letterOfNoOtherWord : 0,
  };
}

function foreignWith(kind: number, foreign: number): number {
  return Math.min(MOST_FOREIGN, foreign + (FOREIGN[kind] ?? 0));
}

/** Returns what is known of the language after the word that ends here, if one does. */
function foreignAfter({ run, length, isUpper, isGlued, isVowel, foreign }: State): number {
  if (run === 'Cyrillic') return Math.max(0, foreign - 1);
  if (run !== 'letters' || length < TELLING_WORD || isUpper || isGlued) return foreign;
  return isVowel ? Math.min(MOST_FOREIGN, foreign + FOREIGN_END) : Math.max(0, foreign - 1);
}

function readDigit({ run, length }: State, costs: WordCosts): Step {
  const isFull = run !== 'digits' || length === 3;
  const next: State = within('digits', isFull ? 1 : length + 1, 0);
  const space = run === 'spaces' ? costs.spaceBeforeDigits : 0;
  return { next, hundredths: isFull ? costs.digits + space : 0 };
}

function readSpace({ run, length }: State, foreign: number, costs: WordCosts): Step {
  // One space belongs to the word after it.
  if (run !== 'spaces') return { next: within('spaces', 1, foreign), hundredths: 0 };
  const next: State = within('spaces', 2, foreign);
  return { next, hundredths: length === 1 ? costs.moreSpaces : costs.manySpaces };
}

function readLineEnd({ run }: State, foreign: number, costs: WordCosts): Step {
  const next: State = within('lines', 0, foreign);
  if (run === 'lines') return { next, hundredths: costs.moreLines };
  // Signs take the end of their line with them.
  return { next, hundredths: run === 'signs' ? 0 : costs.line };
}

function readSign({ run }: State, foreign: number, isSame: boolean, costs: WordCosts): Step {
  const next: State = within('signs', 0, foreign);
  if (run !== 'signs') return { next, hundredths: costs.sign };
  return { next, hundredths: isSame ? costs.sameSign : costs.otherSign };
}

/** A row has a cell for each class of characters, and one for each that repeats the character before it. */
const COLUMNS = 32;
/** Add it to the class of a character that repeats the last one. */
export const REPEATED = 16;
/** The bits of a cell that hold hundredths of a token. The others hold where the next row begins. */
export const HUNDREDTHS_BITS = 10;
/** There are 524 states, and the last row is `UNMADE`. */
const ROWS = 544;
/** The row that a text reaches by a cell which is not made yet. It never leaves it. */
export const UNMADE: number = (ROWS - 1) * COLUMNS;

/**
 * The rules for an encoding as a table, so that a long text takes few instructions for each character. A cell is made when a text
 * first needs it, since to make all 17,000 takes longer than most texts.
 */
export class WordMachine {
  /** Where the next row begins, and the hundredths of a token. Row 0 is the start. */
  readonly cells: Int32Array = new Int32Array(ROWS * COLUMNS).fill(UNMADE << HUNDREDTHS_BITS);
  readonly #costs: WordCosts;
  readonly #states: State[] = [NOTHING];
  readonly #rows = new Map([[numberOf(NOTHING), 0]]);

  constructor(encoding: Encoding) {
    this.#costs = WORD_COSTS[encoding];
  }

  /** Returns the row after a character, and makes the cell that says so. */
  make(row: number, column: number): number {
    const state = this.#states[row / COLUMNS] as State;
    const { next, hundredths } = step(state, column % REPEATED, column >= REPEATED, this.#costs);
    const reached = this.#rowOf(next);
    this.cells[row + column] = (reached << HUNDREDTHS_BITS) + hundredths;
    return reached;
  }

  #rowOf(state: State): number {
    const number = numberOf(state);
    const known = this.#rows.get(number);
    if (known !== undefined) return known;
    const row = this.#states.push(state) * COLUMNS - COLUMNS;
    this.#rows.set(number, row);
    return row;
  }
}

const RUNS: readonly Run[] = [
  'nothing',
  'letters',
  'Cyrillic',
  'other letters',
  'digits',
  'spaces',
  'lines',
  'signs',
  'other',
];

function numberOf({ run, length, isUpper, isGlued, isVowel, foreign }: State): number {
  const flags = (isUpper ? 4 : 0) + (isGlued ? 2 : 0) + (isVowel ? 1 : 0);
  return ((RUNS.indexOf(run) * 32 + length) * 8 + flags) * 8 + foreign;
}
