import { writeSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { estimateText } from '../../src/call/tokens/estimate-text.js';
import { RARE, USUAL } from './samples.js';

const isFull = process.env.SLUICE_ESTIMATES === 'full';

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
  it.each(Object.entries(USUAL))('comes within a fifth of the truth for %s', (_, { text, tokens }) => {
    const ratio = estimateText(text) / tokens;
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.2);
  });

  it.each(Object.entries(RARE))('is never below a quarter of the truth, also for %s', (_, { text, tokens }) => {
    const ratio = estimateText(text) / tokens;
    expect(ratio).toBeGreaterThan(0.25);
    expect(ratio).toBeLessThan(2);
  });

  it.each([
    ['', 0],
    [' ', 1],
    ['a', 1],
    ['Hello', 1],
    ['Hello world', 2],
    ['2026', 2],
    ['\n\n\n', 2],
    ['é', 1],
    ['Müller', 2],
    ['\ud83d', 2],
    ['\udc00', 1],
    ['\uffff', 1],
  ])('of %j is %d', (text, tokens) => {
    expect(estimateText(text)).toBe(tokens);
  });

  it('does not grow when a text is repeated by more than the text has', () => {
    for (const { text } of Object.values({ ...USUAL, ...RARE })) {
      const once = estimateText(text);
      expect(estimateText(text.repeat(10))).toBeLessThan(11 * once + 10);
      expect(estimateText(text.repeat(10))).toBeGreaterThan(9 * once - 10);
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

function processorMs(work: () => void, times: number): number {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
