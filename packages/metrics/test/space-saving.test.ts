import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SpaceSaving } from '../src/top/space-saving.js';

function sketchOf(size: number, values: Iterable<string>): SpaceSaving<string> {
  const sketch = new SpaceSaving<string>(size);
  for (const value of values) sketch.add(value, () => value);
  return sketch;
}

function countsOf(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

const listOf = (sketch: SpaceSaving<string>) =>
  sketch.estimates().map(({ value, count, maxError }) => [value, count, maxError]);

describe('Space-Saving', () => {
  it('is exact while there are counters for all', () => {
    expect(listOf(sketchOf(3, 'abacab'))).toEqual([
      ['a', 3, 0],
      ['b', 2, 0],
      ['c', 1, 0],
    ]);
  });

  it('gives the oldest of the smallest counters to a new value, which may be as large', () => {
    expect(listOf(sketchOf(3, 'aabbcd'))).toEqual([
      ['a', 2, 0],
      ['b', 2, 0],
      ['d', 2, 1],
    ]);
    expect(listOf(sketchOf(2, 'abc'))).toEqual([
      ['c', 2, 1],
      ['b', 1, 0],
    ]);
  });

  it('keeps its guarantees, whatever is added', () => {
    const value = fc.integer({ min: 0, max: 30 }).map((number) => `key ${number >> 1}`);
    fc.assert(
      fc.property(fc.array(value, { maxLength: 400 }), fc.integer({ min: 1, max: 20 }), (values, size) => {
        const sketch = sketchOf(size, values);
        const exact = countsOf(values);
        const found = sketch.estimates();
        expect(sketch.total).toBe(values.length);
        expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
        expect(found).toHaveLength(Math.min(size, exact.size));
        for (const { value, count, maxError } of found) {
          const truth = exact.get(value) ?? 0;
          expect(truth).toBeLessThanOrEqual(count);
          expect(truth).toBeGreaterThanOrEqual(count - maxError);
          expect(maxError).toBeLessThanOrEqual(values.length / size);
        }
        const names = new Set(found.map(({ value }) => value));
        for (const [value, truth] of exact) if (truth > values.length / size) expect(names).toContain(value);
      }),
      { numRuns: Number(process.env.SLUICE_RUNS ?? 200) },
    );
  });

  it('finds five heavy keys exactly among many light ones', () => {
    const heavy = ['ann', 'bob', 'cy', 'dora', 'eve'];
    const sketch = new SpaceSaving<string>(100);
    for (let i = 0; i < 100_000; i += 1) {
      const key = i % 2 === 0 ? (heavy[(i >> 1) % 5] as string) : `light ${(i * 7919) % 20_000}`;
      sketch.add(key, () => key);
    }
    expect(
      sketch
        .estimates()
        .slice(0, 5)
        .map(({ value, count, maxError }) => [value, count, maxError])
        .sort(),
    ).toEqual(heavy.map((key) => [key, 10_000, 0]));
  });

  it('begins anew after it was cleared', () => {
    const sketch = sketchOf(2, 'aab');
    sketch.clear();
    expect([sketch.total, sketch.estimates()]).toEqual([0, []]);
    sketch.add('c', () => 'c');
    expect(listOf(sketch)).toEqual([['c', 1, 0]]);
  });
});
