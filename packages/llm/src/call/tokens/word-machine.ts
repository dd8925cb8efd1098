import { DIGIT, LINE_END, LOWER, PUNCTUATION, SIGNED, SPACE, UPPER } from './character-class.js';

/**
 * What an encoder of text has just read. Encoders split text before they look tokens up: words with the space or the sign before
 * them, capitals that begin a word, three digits at most, runs of signs, runs of spaces.
 */
interface State {
  readonly run: 'nothing' | 'letters' | 'digits' | 'spaces' | 'lines' | 'signs' | 'other';
  /** Characters of the run so far, up to the number from which all more are alike. */
  readonly length: number;
  readonly isUpper?: boolean;
  /** Whether the word follows another one without a space: parts of `camelCase`, of hashes and of base64. */
  readonly isGlued?: boolean;
}

interface Step {
  readonly next: State;
  /** Hundredths of a token that this character adds. */
  readonly hundredths: number;
}

/** Usual words up to this length are one token. */
const SHORT_WORD = 7;
/** Runs of letters that are longer are hardly words. */
const LONG_WORD = 16;

/** The costs in hundredths of a token, measured with o200k_base on prose, programs, data and random text. */
const COST = {
  word: 100,
  // The weight of the letter itself comes on top.
  signedWord: 65,
  gluedLetter: 25,
  letterOfLongWord: 22,
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

const NOTHING: State = { run: 'nothing', length: 0 };

/** Returns what a character adds, and the state after it. */
function step(state: State, kind: number, isSame: boolean): Step {
  if (kind === LOWER || kind === UPPER || kind === SIGNED) return readLetter(state, kind, isSame);
  if (kind === DIGIT) return readDigit(state);
  if (kind === SPACE) return readSpace(state);
  if (kind === LINE_END) return readLineEnd(state);
  if (kind === PUNCTUATION) return readSign(state, isSame);
  return { next: { run: 'other', length: 0 }, hundredths: 0 };
}

function readLetter(state: State, kind: number, isSame: boolean): Step {
  const isUpper = kind === UPPER;
  const { isGlued = false } = state;
  if (state.run === 'letters' && (!isUpper || state.isUpper)) {
    const length = state.length + 1;
    const next: State = { run: 'letters', length: Math.min(length, LONG_WORD), isUpper, isGlued };
    // The weight of a letter with a sign is known by itself.
    return { next, hundredths: kind === SIGNED ? 0 : costOfLetter({ ...next, length }, state, isSame) };
  }
  const follows = state.run === 'letters' || state.run === 'digits';
  const sign = state.run === 'signs' ? COST.signBeforeWord : 0;
  const word = kind === SIGNED ? COST.signedWord : COST.word;
  return { next: { run: 'letters', length: 1, isUpper, isGlued: follows }, hundredths: word + sign };
}

function costOfLetter({ length, isUpper, isGlued }: State, last: State, isSame: boolean): number {
  if (isSame && length > SHORT_WORD) return COST.sameLetter;
  let cost = 0;
  if (isUpper) cost += COST.capital;
  else if (last.isUpper && length > 2) cost += COST.wordAfterCapitals;
  if (length > LONG_WORD) return cost + COST.letterOfNoWord;
  if (length > SHORT_WORD) return cost + COST.letterOfLongWord;
  return cost + (isGlued ? COST.gluedLetter : 0);
}

function readDigit(state: State): Step {
  if (state.run === 'digits') {
    const isFull = state.length === 3;
    return { next: { run: 'digits', length: isFull ? 1 : state.length + 1 }, hundredths: isFull ? COST.digits : 0 };
  }
  const space = state.run === 'spaces' ? COST.spaceBeforeDigits : 0;
  return { next: { run: 'digits', length: 1 }, hundredths: COST.digits + space };
}

function readSpace(state: State): Step {
  // One space belongs to the word after it.
  if (state.run !== 'spaces') return { next: { run: 'spaces', length: 1 }, hundredths: 0 };
  return { next: { run: 'spaces', length: 2 }, hundredths: state.length === 1 ? COST.moreSpaces : COST.manySpaces };
}

function readLineEnd({ run }: State): Step {
  const next: State = { run: 'lines', length: 0 };
  if (run === 'lines') return { next, hundredths: COST.moreLines };
  // Signs take the end of their line with them.
  return { next, hundredths: run === 'signs' ? 0 : COST.line };
}

function readSign({ run }: State, isSame: boolean): Step {
  const next: State = { run: 'signs', length: 0 };
  if (run !== 'signs') return { next, hundredths: COST.sign };
  return { next, hundredths: isSame ? COST.sameSign : COST.otherSign };
}

/** Columns of the tables: the classes of characters, and the same again for a character that repeats the last one. */
export const COLUMN_BITS = 4;
/** Add it to the class of a character that repeats the last one. */
export const REPEATED = 8;

/** The rules as tables, so that a long text takes few instructions for each character. Row 0 is the start. */
export const WORD_MACHINE: { readonly next: Uint8Array; readonly hundredths: Int16Array } = compile();

function compile(): typeof WORD_MACHINE {
  const rows = new Map([[nameOf(NOTHING), NOTHING]]);
  const numbers = new Map([[nameOf(NOTHING), 0]]);
  const next: number[] = [];
  const hundredths: number[] = [];
  // The map grows while it is read: each state is visited once.
  for (const state of rows.values()) {
    for (let column = 0; column < 2 * REPEATED; column++) {
      const reached = step(state, column % REPEATED, column >= REPEATED);
      const name = nameOf(reached.next);
      if (!rows.has(name)) {
        numbers.set(name, rows.size);
        rows.set(name, reached.next);
      }
      next.push(numbers.get(name) ?? 0);
      hundredths.push(reached.hundredths);
    }
  }
  return { next: Uint8Array.from(next), hundredths: Int16Array.from(hundredths) };
}

function nameOf({ run, length, isUpper, isGlued }: State): string {
  return `${run} ${length} ${isUpper} ${isGlued}`;
}
