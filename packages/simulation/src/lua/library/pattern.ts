import { fail } from '../lua-error.js';
import type { LuaValue } from '../lua-value.js';

/** The most parts of a pattern that can be captured. */
const MOST_CAPTURES = 32;

const [OPEN, POSITION] = [-1, -2];

const code = (character: string): number => character.charCodeAt(0);

const ESCAPE = code('%');
const [DOT, STAR, PLUS, MINUS, OPTIONAL, DOLLAR, CARET] = ['.', '*', '+', '-', '?', '$', '^'].map(code);
const [OPEN_SET, CLOSE_SET, OPEN_CAPTURE, CLOSE_CAPTURE] = ['[', ']', '(', ')'].map(code);
const [BALANCE, FRONTIER] = ['b', 'f'].map(code);

/** Matches a Lua pattern against a text of bytes. Positions count from 0. */
export class Matcher {
  readonly text: string;
  readonly #pattern: string;
  #count = 0;
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];

  constructor(text: string, pattern: string) {
    this.text = text;
    this.#pattern = pattern;
  }

  /** Returns where a match ends that begins at a position; undefined if there is none. `from` is where the pattern begins. */
  matchAt(position: number, from: number): number | undefined {
    this.#count = 0;
    return this.#match(position, from);
  }

  /** The captures of the last match; of a pattern without captures, the match itself. */
  captures(start: number, end: number): LuaValue[] {
    const count = this.#count === 0 ? 1 : this.#count;
    return Array.from({ length: count }, (_, i) => this.capture(i, start, end));
  }

  get captureCount(): number {
    return this.#count;
  }

  capture(i: number, start: number, end: number): LuaValue {
    if (i >= this.#count) return i === 0 ? this.text.slice(start, end) : fail('invalid capture index');
    const length = this.#lengths[i] as number;
    const from = this.#starts[i] as number;
    if (length === OPEN) return fail('unfinished capture');
    return length === POSITION ? from + 1 : this.text.slice(from, from + length);
  }

  #at(p: number): number {
    return this.#pattern.charCodeAt(p);
  }

  #match(start: number, from: number): number | undefined {
    let [s, p] = [start, from];
    for (;;) {
      if (p >= this.#pattern.length) return s;
      const sign = this.#at(p);
      if (sign === OPEN_CAPTURE) {
        const isPosition = this.#at(p + 1) === CLOSE_CAPTURE;
        return this.#open(s, isPosition ? p + 2 : p + 1, isPosition ? POSITION : OPEN);
      }
      if (sign === CLOSE_CAPTURE) return this.#close(s, p + 1);
      if (sign === DOLLAR && p + 1 === this.#pattern.length) return s === this.text.length ? s : undefined;
      if (sign === ESCAPE) {
        const next = this.#at(p + 1);
        if (next === BALANCE) {
          const end = this.#balance(s, p + 2);
          if (end === undefined) return undefined;
          [s, p] = [end, p + 4];
          continue;
        }
        if (next === FRONTIER) {
          const end = this.#frontier(s, p + 2);
          if (end === undefined) return undefined;
          p = end;
          continue;
        }
        if (next >= 48 && next <= 57) {
          const end = this.#backReference(s, next);
          if (end === undefined) return undefined;
          [s, p] = [end, p + 2];
          continue;
        }
      }
      const end = this.#classEnd(p);
      const suffix = this.#at(end);
      if (suffix === OPTIONAL) {
        if (this.#single(s, p, end)) {
          const found = this.#match(s + 1, end + 1);
          if (found !== undefined) return found;
        }
        p = end + 1;
        continue;
      }
      if (suffix === STAR) return this.#longest(s, p, end, 0);
      if (suffix === PLUS) return this.#longest(s, p, end, 1);
      if (suffix === MINUS) return this.#shortest(s, p, end);
      if (!this.#single(s, p, end)) return undefined;
      [s, p] = [s + 1, end];
    }
  }

  #longest(s: number, p: number, end: number, least: number): number | undefined {
    let count = 0;
    while (this.#single(s + count, p, end)) count += 1;
    for (; count >= least; count -= 1) {
      const found = this.#match(s + count, end + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #shortest(start: number, p: number, end: number): number | undefined {
    for (let s = start; ; s += 1) {
      const found = this.#match(s, end + 1);
      if (found !== undefined) return found;
      if (!this.#single(s, p, end)) return undefined;
    }
  }

  #open(s: number, p: number, kind: number): number | undefined {
    if (this.#count >= MOST_CAPTURES) return fail('too many captures');
    this.#starts[this.#count] = s;
    this.#lengths[this.#count] = kind;
    this.#count += 1;
    const found = this.#match(s, p);
    if (found === undefined) this.#count -= 1;
    return found;
  }

  #close(s: number, p: number): number | undefined {
    let i = this.#count - 1;
    while (i >= 0 && this.#lengths[i] !== OPEN) i -= 1;
    if (i < 0) return fail('invalid pattern capture');
    this.#lengths[i] = s - (this.#starts[i] as number);
    const found = this.#match(s, p);
    if (found === undefined) this.#lengths[i] = OPEN;
    return found;
  }

  #balance(s: number, p: number): number | undefined {
    if (p + 1 >= this.#pattern.length) return fail('unbalanced pattern');
    const [open, close] = [this.#at(p), this.#at(p + 1)];
    if (this.text.charCodeAt(s) !== open) return undefined;
    let depth = 1;
    for (let i = s + 1; i < this.text.length; i += 1) {
      const sign = this.text.charCodeAt(i);
      if (sign === close) {
        depth -= 1;
        if (depth === 0) return i + 1;
      } else if (sign === open) depth += 1;
    }
    return undefined;
  }

  #frontier(s: number, p: number): number | undefined {
    if (this.#at(p) !== OPEN_SET) return fail("missing '[' after '%f' in pattern");
    const end = this.#classEnd(p);
    const before = s === 0 ? 0 : this.text.charCodeAt(s - 1);
    const after = s < this.text.length ? this.text.charCodeAt(s) : 0;
    return !this.#inSet(before, p, end - 1) && this.#inSet(after, p, end - 1) ? end : undefined;
  }

  #backReference(s: number, digit: number): number | undefined {
    const i = digit - 49;
    const length = this.#lengths[i] as number;
    if (i < 0 || i >= this.#count || length === OPEN) return fail('invalid capture index');
    const from = this.#starts[i] as number;
    // Nothing is as a position is.
    if (length === POSITION) return undefined;
    return this.text.startsWith(this.text.slice(from, from + length), s) ? s + length : undefined;
  }

  #classEnd(start: number): number {
    let p = start + 1;
    const sign = this.#at(start);
    if (sign === ESCAPE) {
      if (p >= this.#pattern.length) return fail("malformed pattern (ends with '%')");
      return p + 1;
    }
    if (sign !== OPEN_SET) return p;
    if (this.#at(p) === CARET) p += 1;
    do {
      if (p >= this.#pattern.length) return fail("malformed pattern (missing ']')");
      const inside = this.#at(p);
      p += 1;
      if (inside === ESCAPE && p < this.#pattern.length) p += 1;
    } while (this.#at(p) !== CLOSE_SET);
    return p + 1;
  }

  #single(s: number, p: number, end: number): boolean {
    if (s >= this.text.length) return false;
    const character = this.text.charCodeAt(s);
    const sign = this.#at(p);
    if (sign === DOT) return true;
    if (sign === ESCAPE) return isInClass(character, this.#at(p + 1));
    if (sign === OPEN_SET) return this.#inSet(character, p, end - 1);
    return sign === character;
  }

  /** @param last - where the set has its closing bracket */
  #inSet(character: number, start: number, last: number): boolean {
    let p = start;
    let isIn = true;
    if (this.#at(p + 1) === CARET) {
      isIn = false;
      p += 1;
    }
    for (p += 1; p < last; p += 1) {
      const sign = this.#at(p);
      if (sign === ESCAPE) {
        p += 1;
        if (isInClass(character, this.#at(p))) return isIn;
      } else if (this.#at(p + 1) === MINUS && p + 2 < last) {
        p += 2;
        if (sign <= character && character <= this.#at(p)) return isIn;
      } else if (sign === character) return isIn;
    }
    return !isIn;
  }
}

const isBetween = (character: number, first: string, last: string): boolean =>
  character >= code(first) && character <= code(last);

const isLower = (character: number): boolean => isBetween(character, 'a', 'z');
const isUpper = (character: number): boolean => isBetween(character, 'A', 'Z');
const isDigit = (character: number): boolean => isBetween(character, '0', '9');
const isAlphanumeric = (character: number): boolean => isLower(character) || isUpper(character) || isDigit(character);
const isControl = (character: number): boolean => character < 32 || character === 127;

const CLASSES: Readonly<Record<string, (character: number) => boolean>> = {
  a: (character) => isLower(character) || isUpper(character),
  c: isControl,
  d: isDigit,
  l: isLower,
  p: (character) => character > 32 && character < 127 && !isAlphanumeric(character),
  s: (character) => character === 32 || (character >= 9 && character <= 13),
  u: isUpper,
  w: isAlphanumeric,
  x: (character) => isDigit(character) || isBetween(character, 'a', 'f') || isBetween(character, 'A', 'F'),
  z: (character) => character === 0,
};

function isInClass(character: number, sign: number): boolean {
  const letter = String.fromCharCode(sign);
  const test = CLASSES[letter.toLowerCase()];
  if (!test) return sign === character;
  return test(character) === isLower(sign);
}
