import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineSplitter } from '../src/line-splitter.js';

describe('Lines that come in pieces', () => {
  it('are those of the whole text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '\r', '\n') })), (pieces) => {
        const lines = new LineSplitter();
        const ended = pieces.flatMap((piece) => lines.push(piece));
        const all = pieces.join('').split('\n');
        expect(lines.openLength).toBe(all.at(-1)?.length);
        expect([...ended, lines.takeOpen()]).toEqual(all);
        expect(lines.takeOpen()).toBe('');
      }),
    );
  });

  // If each piece read again what is open, it would take a minute.
  it('take no longer for being long', () => {
    const lines = new LineSplitter();
    const piece = 'x'.repeat(1024);
    for (let i = 0; i < 16_000; i += 1) lines.push(piece);
    const [line] = lines.push('\n');
    expect(line).toHaveLength(16_000 * 1024);
  }, 5000);
});
