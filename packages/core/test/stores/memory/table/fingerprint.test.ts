import { describe, expect, it } from '@jest/globals';
import { arbitraryText } from '@sluice/test-kit/arbitrary-text';
import fc from 'fast-check';
import { Fingerprints } from '../../../../src/stores/memory/table/fingerprint.js';
import { hash } from '../../../../src/values/key.js';

const fingerprints = new Fingerprints();
const start = fingerprints.startOf('policy', 'limit', 'fixed-window');

function read(key: string, of = fingerprints, from = start): readonly [high: number, low: number] {
  of.read(from, key);
  return [of.high, of.low];
}

const KEYS = 150_000;

/** How many of these keys have the fingerprint of another. */
function collisions(make: (i: number) => string): number {
  const words = new Int32Array(2 * KEYS);
  for (let i = 0; i < KEYS; i += 1) {
    fingerprints.read(start, make(i));
    words[2 * i] = fingerprints.high;
    words[2 * i + 1] = fingerprints.low;
  }
  new BigUint64Array(words.buffer).sort();
  let alike = 0;
  for (let i = 2; i < words.length; i += 2) {
    if (words[i] === words[i - 2] && words[i + 1] === words[i - 1]) alike += 1;
  }
  return alike;
}

describe('A fingerprint', () => {
  it.each<[string, (i: number) => string]>([
    ['that count', (i) => `user-${i}`],
    ['that are addresses', (i) => `~l4:~sip${10 + (i >> 16)}.0.${(i >> 8) & 255}.${i & 255}`],
    ['that differ in one place of many', (i) => `${'0'.repeat(i % 100)}${String.fromCharCode(33 + (i % 90))}${i}`],
    ['of 128 characters', (i) => `${i}`.padStart(128, 'x')],
    ['that are not Latin', (i) => `ключ-${i}`],
  ])('is of one key alone among very many keys %s', (_kind, make) => {
    expect(collisions(make)).toBe(0);
  });

  it('is the same for the same text, whatever its internal form', () => {
    const whole = 'header-value-of-a-client';
    expect(read(`x${whole}`.slice(1))).toEqual(read(whole));
    expect(read(['header-', 'value-of-', 'a-client'].join(''))).toEqual(read(whole));
  });

  const anyText = fc.oneof(
    fc.string({ maxLength: 140 }),
    arbitraryText({ maxLength: 140 }),
    fc.array(fc.constantFrom('\0', 'a', 'ÿ', 'Ā', '\ud800', '\udc00', '\uffff')).map((units) => units.join('')),
  );

  it('differs between any two texts', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        fc.pre(one !== other);
        expect(read(one)).not.toEqual(read(other));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['a text and nothing', '\0', ''],
    ['a zero and none', 'a\0', 'a'],
    ['an order and another', 'ab', 'ba'],
    ['a letter and the next', 'a', 'b'],
    ['a number and the next', 'user-1', 'user-2'],
    ['letters of Latin-1', 'ä', 'Ä'],
    ['a pair and one that is written alike', 'aa', '\u6161'],
    ['halves of a character', '\ud800', '\udc00'],
    ['a character and its halves turned round', '\ud83d\ude00', '\ude00\ud83d'],
    ['the longest and one that is longer', 'x'.repeat(128), 'x'.repeat(129)],
    ['long ones', 'x'.repeat(1000), 'x'.repeat(1001)],
    ['a long one and its hash', 'x'.repeat(1000), hash('x'.repeat(1000))],
  ])('distinguishes %s in every part, except by chance', (_what, one, other) => {
    const parts = 16;
    const stores = 4096;
    const alike = new Array<number>(parts).fill(0);
    for (let i = 0; i < stores; i += 1) {
      const store = new Fingerprints();
      const from = store.startOf('policy', 'limit', 'fixed-window');
      const [high, low] = read(one, store, from);
      const [otherHigh, otherLow] = read(other, store, from);
      for (let part = 0; part < parts; part += 1) {
        const difference = part < 8 ? high ^ otherHigh : low ^ otherLow;
        if (((difference >>> (4 * (part % 8))) & 15) === 0) (alike[part] as number) += 1;
      }
    }
    // Parts of 4 bits are alike in a sixteenth of the stores: 256, with a deviation of 15.5.
    for (const count of alike) expect(Math.abs(count - 256)).toBeLessThan(110);
  });

  it('differs between namespaces and between stores', () => {
    const series = [
      ['policy', 'limit', 'fixed-window'],
      ['policy', 'limit', 'token-bucket'],
      ['policy', 'other', 'fixed-window'],
      ['policyl', 'imit', 'fixed-window'],
      ['policy","limit', '', 'fixed-window'],
      ['\ud800', 'limit', 'fixed-window'],
      ['\ud801', 'limit', 'fixed-window'],
    ];
    const others = new Fingerprints();
    const all = [fingerprints, others].flatMap((of) =>
      series.map((names) => read('ann', of, of.startOf(...names)).join(' ')),
    );
    expect(new Set(all).size).toBe(all.length);
    expect(read('ann', fingerprints, fingerprints.startOf('policy', 'limit', 'fixed-window'))).toEqual(read('ann'));
  });
});
