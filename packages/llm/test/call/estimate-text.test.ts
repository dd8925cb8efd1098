import { describe, expect, it } from '@jest/globals';
import { estimateText } from '../../src/call/tokens/estimate-text.js';
import { RARE, USUAL } from './samples.js';

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

  it.each(
    Object.entries({
      a: 'a',
      spaces: ' ',
      CJK: '漢字',
      base64: USUAL.base64?.text ?? '',
      emoji: '👩‍💻',
      zalgo: 'e\u0301\u0302',
    }),
  )('of 200 KB of %s takes no longer for a character than that of a short text', (_, text) => {
    const long = text.repeat(Math.ceil(200_000 / text.length));
    const short = long.slice(0, 2000);
    const once = (text: string, times: number): number => {
      const before = process.cpuUsage();
      for (let i = 0; i < times; i++) estimateText(text);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    once(short, 50);
    const ratios = Array.from({ length: 3 }, () => once(long, 1) / once(short, 100)).sort((a, b) => a - b);
    // By the square of its length it would be a hundred times longer.
    expect(ratios[0]).toBeLessThan(5);
  });
});
