import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Order, type Scheduled, scheduleOf } from '../../../src/limiter/line/schedule.js';

/** A key with its callers in a plain list. */
class Key implements Scheduled {
  readonly waiting: { readonly arrival: number; readonly units: number }[] = [];
  readonly name: string;
  readonly weight: number;
  readonly isNewestFirst: boolean;
  credit = 0;
  hasTurn = false;
  before: Scheduled | undefined;
  after: Scheduled | undefined;
  dueMs = 0;
  index = -1;

  constructor(name: string, weight = 1, isNewestFirst = false) {
    this.name = name;
    this.weight = weight;
    this.isNewestFirst = isNewestFirst;
  }

  get head() {
    return this.isNewestFirst ? this.waiting.at(-1) : this.waiting[0];
  }
}

/** Serves every caller, and returns the names of the keys in order, each once for each of its callers. */
function served(order: Order, keys: readonly Key[], quantum: number): string[] {
  const schedule = scheduleOf<Key>(order, { units: quantum });
  for (const key of keys) schedule.add(key);
  const names: string[] = [];
  for (let key = schedule.next(); key; key = schedule.next()) {
    const caller = key.head as { units: number };
    names.push(key.name);
    key.waiting.splice(key.waiting.indexOf(caller as never), 1);
    schedule.spent(key, caller.units);
    if (!key.head) schedule.remove(key);
  }
  return names;
}

const keyWith = (name: string, costs: readonly number[], weight = 1, first = 0): Key => {
  const key = new Key(name, weight);
  costs.forEach((units, i) => {
    key.waiting.push({ arrival: first + i, units });
  });
  return key;
};

describe('a fair schedule', () => {
  it('serves a key with one caller after at most one quantum of a key with 10,000', () => {
    const crowd = keyWith('crowd', Array(10_000).fill(1));
    const one = keyWith('one', [3]);
    expect(served('fair', [crowd, one], 3).indexOf('one')).toBe(3);
  });

  it('gives equal keys equal parts, by units and not by callers', () => {
    const cheap = keyWith('cheap', Array(40).fill(1));
    const dear = keyWith('dear', Array(10).fill(4));
    const first = served('fair', [cheap, dear], 4).slice(0, 25);
    expect(first.filter((name) => name === 'cheap')).toHaveLength(20);
  });

  it('gives a key as many quanta as its weight', () => {
    const names = served('fair', [keyWith('three', Array(30).fill(1), 3), keyWith('one', Array(30).fill(1))], 1);
    expect(names.slice(0, 8)).toEqual(['three', 'three', 'three', 'one', 'three', 'three', 'three', 'one']);
  });

  it('lets a key keep what it cannot spend, so that large costs lose nothing', () => {
    const dear = keyWith('dear', Array(20).fill(3));
    const cheap = keyWith('cheap', Array(60).fill(1));
    const units = served('fair', [dear, cheap], 4).slice(0, 40);
    const spent = units.filter((name) => name === 'dear').length * 3;
    expect(Math.abs(spent - units.filter((name) => name === 'cheap').length)).toBeLessThanOrEqual(8);
  });

  it('is as fair as it should be while all keys have callers, and serves each caller once', () => {
    const costs = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 30 });
    const keys = fc.array(fc.record({ costs, weight: fc.integer({ min: 1, max: 4 }) }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(keys, (wanted) => {
        const quantum = Math.max(...wanted.flatMap(({ costs }) => costs));
        const all = wanted.map(({ costs, weight }, i) => keyWith(String(i), costs, weight));
        const names = served('fair', all, quantum);
        const spent = all.map(() => 0);
        const at = all.map(() => 0);
        for (const name of names) {
          const i = Number(name);
          spent[i] = (spent[i] as number) + (wanted[i]?.costs[at[i] as number] as number);
          at[i] = (at[i] as number) + 1;
          const isBusy = all.every((_, k) => (at[k] as number) < (wanted[k]?.costs.length as number));
          if (!isBusy) break;
          // Shreedhar and Varghese: what two busy keys got differs by at most one turn, and the largest cost, for each.
          const parts = all.map((key, k) => (spent[k] as number) / key.weight);
          expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(3 * quantum);
        }
        expect(names.sort()).toEqual(wanted.flatMap(({ costs }, i) => costs.map(() => String(i))).sort());
      }),
    );
  });
});

describe('a schedule by arrival', () => {
  it.each([
    ['fifo' as const, ['a', 'b', 'a', 'b']],
    ['newest' as const, ['b', 'a', 'b', 'a']],
  ])('serves callers of all keys in the order %s', (order, names) => {
    const [a, b] = [new Key('a', 1, order === 'newest'), new Key('b', 1, order === 'newest')];
    a.waiting.push({ arrival: 1, units: 1 }, { arrival: 3, units: 1 });
    b.waiting.push({ arrival: 2, units: 1 }, { arrival: 4, units: 1 });
    expect(served(order, [a, b], 1)).toEqual(names);
  });

  it('follows a key whose first caller has gone', () => {
    const schedule = scheduleOf<Key>('fifo', { units: 1 });
    const [a, b] = [keyWith('a', [1, 1], 1, 1), keyWith('b', [1], 1, 2)];
    a.waiting[1] = { arrival: 5, units: 1 };
    schedule.add(a);
    schedule.add(b);
    a.waiting.shift();
    schedule.moved(a);
    expect(schedule.next()).toBe(b);
  });
});
