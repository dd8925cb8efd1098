import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Due, DueHeap } from '../../src/limiter/due-heap.js';

const act = fc.record({
  kind: fc.constantFrom('add', 'add', 'remove', 'take', 'move'),
  at: fc.nat(50),
  pick: fc.nat(),
});

describe('The heap of due items', () => {
  it('returns the first due item, whatever was added, removed or moved', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
        const heap = new DueHeap<Due>();
        let plain: Due[] = [];
        for (const { kind, at, pick } of acts) {
          const picked = plain[pick % Math.max(1, plain.length)];
          if (kind === 'add') {
            const item: Due = { dueMs: at, index: -1 };
            heap.add(item);
            plain.push(item);
          } else if (kind === 'move' && picked) {
            picked.dueMs = at;
            heap.moved(picked);
          } else {
            const gone = kind === 'take' ? heap.first : picked;
            if (gone) heap.remove(gone);
            if (gone) heap.remove(gone);
            plain = plain.filter((other) => other !== gone);
          }
          expect(heap.size).toBe(plain.length);
          const earliestMs = plain.length > 0 ? Math.min(...plain.map(({ dueMs }) => dueMs)) : undefined;
          expect(heap.first?.dueMs).toBe(earliestMs);
        }
      }),
      { numRuns: 300 },
    );
  });
});
