import { expect, it } from '@jest/globals';
import { goDuration } from '../../src/dialects/go-duration.js';

it.each([
  [0, '0s'],
  [12, '12ms'],
  [999, '999ms'],
  [1000, '1s'],
  [1500, '1.5s'],
  [60_000, '1m0s'],
  [360_000, '6m0s'],
  [83_909_144, '23h18m29.144s'],
  [86_400_000, '24h0m0s'],
])('writes %d ms as %s', (ms, text) => {
  expect(goDuration(ms)).toBe(text);
});
