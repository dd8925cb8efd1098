import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Slab } from '../../../../src/stores/memory/table/slab.js';

const DOUBLES = 3;
const SHIFT = 2;

const acts = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant('take' as const) }, fc.nat(1000)), {
  maxLength: 200,
  size: 'max',
});

function numbersOf(slab: Slab, cell: number): Float64Array {
  const from = (cell & ((1 << SHIFT) - 1)) * DOUBLES;
  return slab.pages[cell >>> SHIFT]?.numbers.subarray(from, from + DOUBLES) as Float64Array;
}

const pagesOf = (slab: Slab): number => slab.pages.filter((page) => page !== undefined).length;

describe('A slab', () => {
  it('gives each cell to one user at a time', () => {
    fc.assert(
      fc.property(acts, (script) => {
        const slab = new Slab(DOUBLES, SHIFT);
        const taken = new Map<number, number[]>();
        let writes = 0;
        for (const act of script) {
          if (act === 'take') {
            const cell = slab.take();
            expect(cell === 0 || taken.has(cell)).toBe(false);
            writes += 1;
            const written = [writes, writes + 0.25, writes + 0.5];
            numbersOf(slab, cell).set(written);
            taken.set(cell, written);
          } else if (taken.size > 0) {
            const cell = [...taken.keys()][act % taken.size] as number;
            expect([...numbersOf(slab, cell)]).toEqual(taken.get(cell));
            taken.delete(cell);
            slab.release(cell);
          }
        }
        for (const [cell, written] of taken) expect([...numbersOf(slab, cell)]).toEqual(written);
      }),
    );
  });

  it('has no more pages than it needed at most, and one in the end', () => {
    fc.assert(
      fc.property(acts, (script) => {
        const slab = new Slab(DOUBLES, SHIFT);
        const taken: number[] = [];
        let most = 0;
        for (const act of script) {
          if (act === 'take') taken.push(slab.take());
          else if (taken.length > 0) slab.release(taken.splice(act % taken.length, 1)[0] as number);
          most = Math.max(most, taken.length);
        }
        // The very first cell is never used.
        expect(slab.pages.length).toBeLessThanOrEqual(Math.ceil((most + 1) / (1 << SHIFT)));
        for (const cell of taken) slab.release(cell);
        expect(pagesOf(slab)).toBe(most === 0 ? 0 : 1);
      }),
    );
  });
});
