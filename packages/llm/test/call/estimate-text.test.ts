import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Encoding } from '../../src/call/tokens/encoding.js';
import { estimateText } from '../../src/call/tokens/estimate-text.js';
import { type CountedText, LANGUAGES } from './languages.js';
import { RARE, USUAL } from './samples.js';

const isFull = process.env.SLUICE_ESTIMATES === 'full';

const ENCODINGS: readonly Encoding[] = ['o200k_base', 'cl100k_base'];

/** Texts of 200 KB that a caller may send to make an estimate slow. */
const LARGE = Object.fromEntries(
  Object.entries({
    'the letter a': 'a',
    spaces: ' ',
    CJK: '漢字',
    base64: USUAL.base64?.text ?? '',
    prose: USUAL.english?.text ?? '',
    emoji: '👩‍💻',
    'combining signs': 'e\u0301\u0302',
  }).map(([name, text]) => [name, text.repeat(Math.ceil(200_000 / text.length))]),
);

describe('the estimate of a text', () => {
  it.each(LANGUAGES)('is at most 15 % low and 20 % high in $name', ({ fitted }) => {
    for (const encoding of ENCODINGS) {
      const error = errorOf(fitted, encoding);
      expect(error).toBeGreaterThanOrEqual(-15);
      expect(error).toBeLessThanOrEqual(20);
    }
  });

  it.each(LANGUAGES)('is at most 15 % low and 30 % high for another text in $name', ({ keptApart }) => {
    for (const encoding of ENCODINGS) {
      const error = errorOf(keptApart, encoding);
      expect(error).toBeGreaterThanOrEqual(-15);
      expect(error).toBeLessThanOrEqual(30);
    }
  });

  it.each(Object.entries(USUAL))('comes within a fifth of the truth for %s', (_, sample) => {
    for (const encoding of ENCODINGS) {
      const ratio = estimateText(sample.text, encoding) / sample[encoding];
      expect(ratio).toBeGreaterThan(0.8);
      expect(ratio).toBeLessThan(1.2);
    }
  });

  it.each(Object.entries(RARE))('is never below a quarter of the truth, also for %s', (_, sample) => {
    for (const encoding of ENCODINGS) {
      const ratio = estimateText(sample.text, encoding) / sample[encoding];
      expect(ratio).toBeGreaterThan(0.25);
      expect(ratio).toBeLessThan(2);
    }
  });

  it.each([
    ['', 0],
    [' ', 1],
    ['a', 1],
    ['Hello', 1],
    ['Hello world', 2],
    ['2026', 2],
    ['\n\n\n', 1],
    ['é', 1],
    ['Müller', 2],
    ['\ud83d', 2],
    ['\udc00', 1],
    ['\uffff', 1],
  ])('of %j is %d', (text, tokens) => {
    expect(estimateText(text)).toBe(tokens);
  });

  it('is the same when a text is read again, and when it begins anew in a long one', () => {
    for (const { fitted } of LANGUAGES) {
      const first = estimateText(fitted.text);
      expect(estimateText(fitted.text)).toBe(first);
      // The table is made piece by piece, and so is a long text read.
      const long = `${' '.repeat(16_380)}${fitted.text}`;
      const spaces = estimateText(' '.repeat(16_380));
      expect(Math.abs(estimateText(long) - spaces - first)).toBeLessThan(3);
    }
  });

  it('does not grow when a text is repeated by more than the text has', () => {
    for (const { text } of Object.values({ ...USUAL, ...RARE })) {
      // A run of letters that becomes longer than any word costs more at first.
      const some = estimateText(text.repeat(3));
      expect(estimateText(text.repeat(30))).toBeLessThan(11 * some);
      expect(estimateText(text.repeat(30))).toBeGreaterThan(9 * some);
    }
  });

  it.each(Object.entries(LARGE))('takes no longer for each character of 200 KB than of 2 KB: %s', (_, large) => {
    const small = large.slice(0, 2000);
    processorMs(() => estimateText(small), 50);
    const ratios = Array.from(
      { length: 3 },
      () => processorMs(() => estimateText(large), 1) / processorMs(() => estimateText(small), 100),
    );
    // By the square of its length it would be a hundred times longer.
    expect(Math.min(...ratios)).toBeLessThan(5);
  });

  it('takes less than 5 ms for 200 KB, where time is measured', () => {
    if (!isFull) return;
    const figures = Object.entries(LARGE).map(([name, text]) => {
      const times = Array.from({ length: 101 }, () => processorMs(() => estimateText(text), 1)).sort((a, b) => a - b);
      const medianMs = times[50] as number;
      expect(medianMs).toBeLessThan(5);
      return `${name} ${medianMs.toFixed(1)} ms`;
    });
    writeSync(1, `estimates: 200 KB of ${figures.join(', ')}\n`);
  });
});

describe('the table of errors by language', () => {
  const page = readFileSync(join(__dirname, '../../docs/calls-and-prices.md'), 'utf8');

  it('has the errors that are measured here', () => {
    const rows = page.split('\n').filter((line) => /^\| \w+ +\|.*\d %/.test(line));
    const written = rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    const measured = LANGUAGES.map(({ name, fitted, keptApart }) => [
      name,
      ...[fitted, keptApart].flatMap((text) => ENCODINGS.map((encoding) => `${errorOf(text, encoding)} %`)),
    ]);
    expect(written).toEqual(measured);
  });
});

/** Returns by how many percent the estimate is too high. */
function errorOf(counted: CountedText, encoding: Encoding): number {
  // Never -0.
  return Math.round((estimateText(counted.text, encoding) / counted[encoding] - 1) * 100) + 0;
}

function processorMs(work: () => void, times: number): number {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
