import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { arbitraryText } from '@sluice/test-kit/arbitrary-text';
import fc from 'fast-check';
import { sha256 } from '../../src/values/sha-256.js';

const byNode = (text: string): string => createHash('sha256').update(text).digest('hex');
const byUs = (text: string): string => Buffer.from(sha256(text)).toString('hex');

describe('The SHA-256 for runtimes without node:crypto', () => {
  it('is that of the standard for its first example', () => {
    expect(byUs('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('is that of Node.js for every length around the ends of blocks', () => {
    for (let length = 0; length < 200; length += 1) {
      const text = 'x'.repeat(length);
      expect([length, byUs(text)]).toEqual([length, byNode(text)]);
    }
  });

  it('is that of Node.js for any text, also for lone surrogates', () => {
    fc.assert(fc.property(arbitraryText({ maxLength: 300 }), (text) => expect(byUs(text)).toBe(byNode(text))));
  });
});
