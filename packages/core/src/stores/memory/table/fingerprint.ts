// Why it is so: docs/why/memory-store.md

import { fromBase64url } from '../../../values/base64url.js';
import { hash } from '../../../values/key.js';
import { fillRandomly } from '../../../values/random.js';

const { imul } = Math;

/** The longest key that is read as it is. Encoded keys are not longer; a longer text is read as its SHA-256. */
const LONGEST = 128;

/** Added to the length of a key, so that keys which are read in different ways have different fingerprints. */
const UNIT_BY_UNIT = 0x4000;
const HASHED = 0x8000;

/** Four numbers with which the fingerprints of one namespace begin. */
export type Start = Int32Array;

/**
 * Computes fingerprints of 64 bits that stand for keys. Two different keys have the same fingerprint with a chance of
 * 2^-64. Among a million keys, any two share one with a chance of 3 in 100 million. Each store has its own random
 * numbers. Without them, nobody can find such keys or make them more likely.
 *
 * Four lanes each add up the 16-bit words of the key, multiplied by random numbers, modulo 2^32. The upper half of such
 * a sum is strongly universal: for any two keys, each of its 2^32 pairs of values is equally likely.
 *
 * After Lemire and Kaser, "Strongly universal string hashing is fast", The Computer Journal 57(11), 2014.
 */
export class Fingerprints {
  /** The fingerprint that was read last. */
  high = 0;
  low = 0;

  /** Made with the factors for the first namespace, without which no key is read: a Worker has no random numbers while it loads. */
  secret: string | undefined;
  /** The factors of the length and of each word, one number per lane. */
  readonly factors = new Int32Array((1 + LONGEST) * 4);

  /** Returns the start of a namespace. The same key has another fingerprint in another namespace. */
  startOf(...names: readonly string[]): Start {
    if (!this.secret) {
      fillRandomly(this.factors);
      this.secret = hash(fillRandomly(new Uint8Array(32)).join());
    }
    const digest = fromBase64url(hash(JSON.stringify([this.secret, ...names])));
    return new Int32Array(digest.buffer, 0, 4);
  }

  read(start: Start, key: string): void {
    if (key.length > LONGEST) this.#readPairs(start, hash(key), HASHED);
    else if (!this.#readPairs(start, key, 0)) this.#readUnits(start, key);
  }

  /** Reads two characters as one word. Returns false if a character needs a word of its own. */
  #readPairs(start: Start, key: string, way: number): boolean {
    const factors = this.factors;
    const length = key.length;
    const marked = length | way;
    let a = ((start[0] as number) + imul(factors[0] as number, marked)) | 0;
    let b = ((start[1] as number) + imul(factors[1] as number, marked)) | 0;
    let c = ((start[2] as number) + imul(factors[2] as number, marked)) | 0;
    let d = ((start[3] as number) + imul(factors[3] as number, marked)) | 0;
    let seen = 0;
    for (let i = 0, at = 4; i < length; i += 2, at += 4) {
      const first = key.charCodeAt(i);
      const second = i + 1 < length ? key.charCodeAt(i + 1) : 0;
      const word = first | (second << 8);
      seen |= first | second;
      a = (a + imul(factors[at] as number, word)) | 0;
      b = (b + imul(factors[at + 1] as number, word)) | 0;
      c = (c + imul(factors[at + 2] as number, word)) | 0;
      d = (d + imul(factors[at + 3] as number, word)) | 0;
    }
    this.#join(a, b, c, d);
    return seen < 256;
  }

  #readUnits(start: Start, key: string): void {
    const factors = this.factors;
    const sums = [0, 1, 2, 3].map((lane) => {
      let sum = ((start[lane] as number) + imul(factors[lane] as number, key.length | UNIT_BY_UNIT)) | 0;
      for (let i = 0; i < key.length; i += 1) {
        sum = (sum + imul(factors[4 + 4 * i + lane] as number, key.charCodeAt(i))) | 0;
      }
      return sum;
    });
    this.#join(...(sums as [number, number, number, number]));
  }

  /** Joins the upper halves. */
  #join(a: number, b: number, c: number, d: number): void {
    this.high = (a & 0xffff0000) | (b >>> 16);
    this.low = (c & 0xffff0000) | (d >>> 16);
  }
}
