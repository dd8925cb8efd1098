import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KeyIndex } from '../../../../src/stores/memory/table/key-index.js';
import { Rows } from '../../../../src/stores/memory/table/rows.js';

/** Few shards, few tags and few places, at both ends of their tables, so that rows collide. */
const high = fc.tuple(fc.constantFrom(0, 255), fc.constantFrom(0, 255), fc.constantFrom(0, 7)).map(bitsOf);
const low = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: -20, max: -1 }), fc.constant(1 << 31));
const fingerprint = fc.tuple(high, low);

function bitsOf([shard, tag, rest]: readonly [number, number, number]): number {
  return (shard << 24) | (tag << 16) | rest;
}

describe('A key index', () => {
  it('finds what was added and not deleted, and nothing else', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('add', 'add', 'delete'), fingerprint), {
      maxLength: 400,
      size: 'max',
    });
    fc.assert(
      fc.property(steps, (script) => {
        const rows = new Rows();
        const index = new KeyIndex(rows);
        const known = new Map<string, number>();
        for (const [verb, [high, low]] of script) {
          const name = `${high} ${low}`;
          const row = known.get(name);
          expect(index.find(high, low)).toBe(row ?? 0);
          if (verb === 'add' && row === undefined) {
            known.set(name, rows.take(high, low));
            index.add(known.get(name) as number, high, low);
          } else if (verb === 'delete' && row !== undefined) {
            index.delete(row);
            rows.release(row);
            known.delete(name);
          }
        }
        for (const [name, row] of known) {
          const [high, low] = name.split(' ').map(Number) as [number, number];
          expect(index.find(high, low)).toBe(row);
        }
      }),
    );
  });

  it('finds every one of very many rows while it grows and shrinks', () => {
    const rows = new Rows();
    const index = new KeyIndex(rows);
    const count = 100_000;
    const spread = (i: number): readonly [number, number] => [Math.imul(i, 0x9e3779b1), Math.imul(i, 0x85ebca6b)];
    const all = Array.from({ length: count }, (_, i) => rows.take(...spread(i)));
    for (const [i, row] of all.entries()) index.add(row, ...spread(i));
    expect(all.every((row, i) => index.find(...spread(i)) === row)).toBe(true);
    const kept = all.filter((_, i) => i % 50 === 0);
    for (const [i, row] of all.entries()) if (i % 50 !== 0) index.delete(row);
    expect(all.filter((_, i) => index.find(...spread(i)) !== 0)).toEqual(kept);
    for (const row of kept) index.delete(row);
    expect(all.some((_, i) => index.find(...spread(i)) !== 0)).toBe(false);
  });
});
