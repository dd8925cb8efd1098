import { expect, it } from '@jest/globals';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { type Sample, slopesOf, tooSeldom, tooSteep } from '../src/growth.js';

const MINUTE_MS = 60_000;

/** A heap of 30 MB that rises, with noise, sampled each minute. */
function heap(minutes: number, perHour: number, noise = 0.5): Sample[] {
  const random = seededRandom(7);
  return Array.from({ length: minutes }, (_, minute) => ({
    atMs: minute * MINUTE_MS,
    of: 'express',
    quantity: 'heapMb',
    value: 30 + (perHour * minute) / 60 + noise * (random() - 0.5),
  }));
}

/** The names of what rises too fast in a run of so many minutes. */
const judged = (samples: readonly Sample[], minutes: number): readonly string[] =>
  tooSteep(slopesOf(samples, 0, minutes * MINUTE_MS)).map(({ of, quantity }) => `${of} ${quantity}`);

it.each([
  ['a heap that stays', 120, 0, []],
  ['a heap that rises by half of what it may', 120, 0.5, []],
  ['a heap that rises by 6 MB an hour, as policies that leak do', 120, 6, ['express heapMb']],
  ['the same, for half an hour', 30, 6, ['express heapMb']],
  ['a run that is too short', 10, 60, []],
])('judges %s', (_title, minutes, perHour, expected) => {
  expect(judged(heap(minutes, perHour), minutes)).toEqual(expected);
});

it('measures the rise of what it judges', () => {
  const [rise] = slopesOf(heap(120, 6), 0, 120 * MINUTE_MS);
  expect(rise?.perHour).toBeCloseTo(6, 0);
  expect(rise?.error).toBeLessThan(0.1);
});

it('leaves the warm-up out', () => {
  const warm = heap(120, 0).map((sample) => (sample.atMs < 60 * MINUTE_MS ? { ...sample, value: 10 } : sample));
  expect(judged(warm, 120)).toEqual([]);
});

it('takes one noisy quantity for no rise', () => {
  expect(judged(heap(30, 0, 20), 30)).toEqual([]);
});

it('says what it could not judge in a run that is long enough', () => {
  const samples = heap(120, 60).filter((_, minute) => minute % 20 === 0);
  const unjudged = (minutes: number) => tooSeldom(samples, 0, minutes * MINUTE_MS);
  expect(judged(samples, 120)).toEqual([]);
  expect(unjudged(120)).toEqual([{ of: 'express', quantity: 'heapMb' }]);
  expect(unjudged(10)).toEqual([]);
  expect(tooSeldom(heap(120, 0), 0, 120 * MINUTE_MS)).toEqual([]);
});
