import { describe, expect, it } from '@jest/globals';
import { SimulatedTable } from '../../src/table/simulated-table.js';

function table() {
  const clock = {
    atMs: 1000,
    nowMs(): number {
      return clock.atMs;
    },
  };
  return { clock, table: new SimulatedTable(clock) };
}

const put = (key: string, was: string | undefined, version: string) => ({
  key,
  was,
  next: { version, value: `${key} ${version}`, forMs: 100 },
});

describe('A simulated table', () => {
  it('makes all changes of a swap, or none', () => {
    const { table: one } = table();
    expect(one.swap([put('a', undefined, '1'), put('b', undefined, '1')], undefined)).toBe(true);
    expect(one.swap([put('a', '1', '2'), put('b', 'other', '2')], undefined)).toBe(false);
    expect(one.read(['b', 'a', 'c']).entries).toEqual([
      expect.objectContaining({ version: '1', value: 'b 1' }),
      expect.objectContaining({ version: '1', value: 'a 1' }),
      undefined,
    ]);
    expect(one.swap([{ key: 'a', was: '1', next: undefined }], undefined)).toBe(true);
    expect(one.keys()).toEqual(['b']);
  });

  it('forgets an entry when it is over, and refuses a swap that comes too late', () => {
    const { clock, table: one } = table();
    one.swap([put('a', undefined, '1')], 1001);
    clock.atMs = 1100;
    expect(one.read(['a'])).toEqual({ atMs: 1100, entries: [undefined] });
    expect(one.swap([put('a', undefined, '1')], 1100)).toBe(false);
  });

  it('keeps nothing more when it is full, but deletes', () => {
    const { table: one } = table();
    one.swap([put('a', undefined, '1')], undefined);
    one.fill();
    expect(() => one.swap([put('b', undefined, '1')], undefined)).toThrow('no room');
    expect(one.swap([{ key: 'a', was: '1', next: undefined }], undefined)).toBe(true);
    one.drain();
    expect(one.swap([put('b', undefined, '1')], undefined)).toBe(true);
    expect([one.delete(['b', 'c']), one.loseKey('b')]).toEqual([1, false]);
  });

  it('comes back as it was', () => {
    const { table: one } = table();
    one.swap([put('a', undefined, '1')], undefined);
    const before = one.snapshot();
    one.clear();
    one.restore(before);
    expect(one.keys()).toEqual(['a']);
  });
});
