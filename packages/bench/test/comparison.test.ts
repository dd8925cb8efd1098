import { describe, expect, it } from '@jest/globals';
import { compareBoth, comparisonTable, type Figure, isWorse, type Measure, measureBoth } from '../src/comparison.js';

const FIGURE: Figure = { name: 'a figure', unit: 'ns' };

/** A measure whose processes give these figures, one after the other. Records what happens to them. */
function recorded(figures: Readonly<Record<string, readonly number[]>>) {
  const events: string[] = [];
  const given = new Map(Object.entries(figures).map(([program, values]) => [program, values.values()]));
  const measure: Measure = {
    figures: [FIGURE],
    async start(program) {
      events.push(`start ${program}`);
      return {
        async round() {
          const { value } = given.get(program)?.next() ?? {};
          if (value === undefined) throw new Error('no more figures');
          return [value];
        },
        end: async () => events.push(`end ${program}`),
      };
    },
  };
  return { measure, events };
}

const PROGRAMS = { now: 'new.js', base: 'old.js' };

describe('a comparison of two checkouts', () => {
  it('takes new processes for each round, in turn, and the least of what each gave', async () => {
    const { measure, events } = recorded({ 'new.js': [5, 4, 6, 9, 9, 7], 'old.js': [3, 2, 3, 1, 8, 8] });
    expect(await measureBoth(measure, PROGRAMS, 2)).toEqual(new Map([[FIGURE, { now: [4, 7], base: [2, 1] }]]));
    const both = ['start new.js', 'end new.js', 'start old.js', 'end old.js'];
    expect(events).toEqual([...both, ...both.slice(2), ...both.slice(0, 2)]);
  });

  it('takes as many rounds again if a figure seems worse, and calls it worse if these say so, too', async () => {
    const twice = (values: readonly number[]) => values.flatMap((value) => [value, value, value]);
    const { measure } = recorded({ 'new.js': twice([2, 2, 1, 2]), 'old.js': twice([1, 1, 2, 1]) });
    expect(await compareBoth(measure, PROGRAMS, 2)).toEqual(
      new Map([[FIGURE, { now: [2, 2, 1, 2], base: [1, 1, 2, 1] }]]),
    );
    expect(isWorse({ now: [2, 2, 1, 2], base: [1, 1, 2, 1] })).toBe(false);
    const same = recorded({ 'new.js': twice([1, 1]), 'old.js': twice([1, 1]) });
    expect(await compareBoth(same.measure, PROGRAMS, 2)).toEqual(new Map([[FIGURE, { now: [1, 1], base: [1, 1] }]]));
  });

  it('ends a process that fails', async () => {
    const { measure, events } = recorded({ 'new.js': [1] });
    await expect(measureBoth(measure, PROGRAMS, 1)).rejects.toThrow('no more figures');
    expect(events).toEqual(['start new.js', 'end new.js']);
  });

  it.each([
    ['the same', [10, 11, 12], [10, 11, 12], false],
    ['better', [5, 6, 7], [10, 11, 12], false],
    ['above all of the base in each round', [13, 14, 15], [10, 11, 12], true],
    ['more in each round, but within what the base gave', [11, 11.5, 12.5], [10, 11, 12], false],
    ['above all of the base, but for one round', [9, 14, 15], [10, 11, 12], false],
  ])('calls a figure worse only if its spread says so: %s', (_, now, base, expected) => {
    expect(isWorse({ now, base })).toBe(expected);
  });

  it('is a table that marks what got worse', () => {
    const results = new Map([
      [FIGURE, { now: [20, 22, 21], base: [10, 11, 10] }],
      [
        { name: 'another', unit: 'bytes' },
        { now: [100, 100, 100], base: [100, 100, 100] },
      ],
    ]);
    expect(comparisonTable('in-process', results)).toEqual({
      caption: 'in-process',
      head: ['', 'base', 'now', 'times the base', ''],
      notes: [],
      rows: [
        ['a figure', '10 ns', '21 ns', { median: 2, least: 2, most: 2.1 }, '**worse**'],
        ['another', '100 bytes', '100 bytes', { median: 1, least: 1, most: 1 }, ''],
      ],
    });
  });
});
