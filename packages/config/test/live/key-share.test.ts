import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { KeyShare } from '../../src/live/key-share.js';

const hashed = (name: string): string => createHash('sha256').update(name).digest('base64url');

it('counts each key once, and forgets it some time after it was last seen', () => {
  const keys = new KeyShare(1_000);
  for (let i = 0; i < 100; i += 1) keys.note(hashed('loud'), true, i);
  keys.note(hashed('calm'), false, 500);
  expect(keys).toMatchObject({ refused: 1, share: 0.5 });
  keys.note(hashed('calm'), false, 1_200);
  expect(keys).toMatchObject({ refused: 0, share: 0 });
});

it('forgets that a key was refused, although it is still seen', () => {
  const keys = new KeyShare(1_000);
  keys.note(hashed('a'), true, 0);
  keys.note(hashed('a'), false, 900);
  expect(keys.share).toBe(1);
  keys.note(hashed('a'), false, 1_100);
  expect(keys.share).toBe(0);
});

it('estimates from a sample if there are very many keys', () => {
  const keys = new KeyShare(1_000);
  for (let i = 0; i < 100_000; i += 1) keys.note(hashed(`k${i}`), i % 10 === 0, 0);
  expect(keys.share).toBeCloseTo(0.1, 1);
  expect(Math.abs(keys.refused - 10_000)).toBeLessThan(1_500);
});
