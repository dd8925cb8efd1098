import { createHmac, getRandomValues } from 'node:crypto';
import { hash } from '../../../values/key.js';

const { imul } = Math;

/** The longest key that is read as it is, which no encoded key exceeds; a longer one is read as its SHA-256. */
const LONGEST = 128;

/** Added to a key's length in the lanes, so that keys which are read in different ways are different keys. */
const UNIT_BY_UNIT = 0x4000;
const HASHED = 0x8000;

/** Four numbers that the fingerprints of one namespace begin with. */
export type Start = Int32Array;

/**
 * Fingerprints of 64 bits that stand for keys. Two different keys have the same one with a chance of 2^-64, so that
 * among a million keys any two meet with a chance of 3 in 100 million; who does not know the random numbers, of which
 * each store has its own, can neither find such keys nor make them likelier.
 *
 * Four lanes each add up the key's 16-bit words, times random numbers, modulo 2^32. The upper half of such a sum is
 * strongly universal: for any two keys, each of its 2^32 pairs of values is as likely as another.
 *
 * After Lemire and Kaser, "Strongly universal string hashing is fast", The Computer Journal 57(11), 2014.
 */
export class Fingerprints {
  /** The fingerprint that was read last. */
  high = 0;
  low = 0;

  readonly #secret = getRandomValues(new Uint8Array(32));
  /** Of the length and of each word, one number for each lane. */
  readonly #factors = getRandomValues(new Int32Array((1 + LONGEST) * 4));

  /** The start of a namespace of keys, by its names: the same key in another namespace has another fingerprint. */
  startOf(...names: readonly string[]): Start {
    const digest = createHmac('sha256', this.#secret).update(JSON.stringify(names)).digest();
    return Int32Array.of(0, 4, 8, 12).map((at) => digest.readInt32LE(at));
  }

  read(start: Start, key: string): void {
    if (key.length > LONGEST) this.#readPairs(start, hash(key), HASHED);
    else if (!this.#readPairs(start, key, 0)) this.#readUnits(start, key);
  }

  /** Two characters to a word. Returns false when there is one that needs a word for itself. */
  #readPairs(start: Start, key: string, way: number): boolean {
    const factors = this.#factors;
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
    const factors = this.#factors;
    const sums = [0, 1, 2, 3].map((lane) => {
      let sum = ((start[lane] as number) + imul(factors[lane] as number, key.length | UNIT_BY_UNIT)) | 0;
      for (let i = 0; i < key.length; i += 1) {
        sum = (sum + imul(factors[4 + 4 * i + lane] as number, key.charCodeAt(i))) | 0;
      }
      return sum;
    });
    this.#join(...(sums as [number, number, number, number]));
  }

  /** The upper halves alone. */
  #join(a: number, b: number, c: number, d: number): void {
    this.high = (a & 0xffff0000) | (b >>> 16);
    this.low = (c & 0xffff0000) | (d >>> 16);
  }
}
