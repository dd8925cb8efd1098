import { describe, expect, it } from '@jest/globals';
import { figure, markdown, rate, spread } from '../src/table.js';

describe('a table', () => {
  it('is Markdown, with figures to the right and remarks below', () => {
    const table = {
      caption: 'Speed',
      head: ['', 'per second'],
      rows: [
        ['a', '1'],
        ['bcde', '23'],
      ],
    };
    expect(markdown({ ...table, notes: ['one', 'two'] })).toBe(
      [
        '**Speed**',
        '',
        '|      | per second |',
        '| ---- | ---------: |',
        '| a    |          1 |',
        '| bcde |         23 |',
        '',
        '- one',
        '- two',
      ].join('\n'),
    );
  });

  it.each([
    [0, '0'],
    [-0.004, '0'],
    [0.123, '0.12'],
    [1.234, '1.23'],
    [12.34, '12.3'],
    [1234.5, '1,235'],
    [-58, '-58'],
    [Number.NaN, '-'],
  ])('shows %d as %s', (value, text) => {
    expect(figure(value)).toBe(text);
  });

  it.each([
    [2_345_678, '2.35 M/s'],
    [23_456, '23.5 k/s'],
    [9_876, '9,876 /s'],
  ])('shows %d a second as %s', (perSecond, text) => {
    expect(rate(perSecond)).toBe(text);
  });

  it('shows a median with its spread', () => {
    expect(spread({ median: 2, least: 1.5, most: 12.34 })).toBe('2 (1.5 to 12.3)');
  });
});
