import { expect, it } from '@jest/globals';
import { rendezvous } from '../../src/sharded/rendezvous.js';

const KEYS = Array.from({ length: 20_000 }, (_, i) => `user-${i}`);
const NAMES = ['a', 'b', 'c', 'd'];

function shares(names: readonly string[]): Map<string, number> {
  const nameOf = rendezvous(names);
  const counts = new Map(names.map((name) => [name, 0]));
  for (const key of KEYS) counts.set(nameOf(key), (counts.get(nameOf(key)) ?? 0) + 1);
  return counts;
}

it('Every name gets about the same share of the keys', () => {
  for (const names of [
    NAMES,
    ['redis-1', 'redis-2', 'redis-3'],
    ['eu-west.cache.internal:6379', 'eu-west.cache.internal:6380'],
  ]) {
    for (const count of shares(names).values()) {
      expect(Math.abs(count / KEYS.length - 1 / names.length)).toBeLessThan(0.02);
    }
  }
});

it('A new name moves only its own share of the keys', () => {
  const [before, after] = [rendezvous(NAMES), rendezvous([...NAMES, 'e'])];
  const moved = KEYS.filter((key) => before(key) !== after(key));
  expect(new Set(moved.map(after))).toEqual(new Set(['e']));
  expect(Math.abs(moved.length / KEYS.length - 1 / 5)).toBeLessThan(0.02);
});

it('A removed name does not move the keys of the others', () => {
  const [before, after] = [rendezvous(NAMES), rendezvous(NAMES.slice(1))];
  const moved = KEYS.filter((key) => before(key) !== after(key));
  expect(new Set(moved.map(before))).toEqual(new Set(['a']));
});

it('The order of the names does not matter', () => {
  const [one, other] = [rendezvous(NAMES), rendezvous(NAMES.toReversed())];
  expect(KEYS.filter((key) => one(key) !== other(key))).toEqual([]);
});

it('The choice is the same in every release', () => {
  const nameOf = rendezvous(NAMES);
  const keys = ['ann', 'bob', '', '~l2:ip11:203.0.113.7', 'ключ', '\u{1f511}'];
  // Another program computed these from the definitions of FNV-1a and of the finalizer.
  expect(keys.map(nameOf)).toEqual(['d', 'a', 'c', 'd', 'c', 'c']);
});
