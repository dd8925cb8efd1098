import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Rows, setTimes } from '../../../../src/stores/memory/table/rows.js';
import { TimerWheel } from '../../../../src/stores/memory/table/timer-wheel.js';

/** Rows that are due when they expire. */
class Items {
  readonly rows = new Rows();

  take(dueMs: number): number {
    const item = this.rows.take(0, 0);
    this.setDue(item, dueMs);
    return item;
  }

  dueMs(item: number): number {
    return this.rows.expiresMs(item);
  }

  setDue(item: number, dueMs: number): void {
    setTimes(this.rows.page(item), item, dueMs, 0);
  }
}

/** The wheel, and a plain list of the rows that must be in it. */
class World {
  readonly all = new Items();
  readonly wheel = new TimerWheel(this.all.rows);
  items: number[] = [];
  nowMs = Date.UTC(2026, 0, 1);

  pick(index: number): number | undefined {
    return this.items[index % this.items.length];
  }

  forget(item: number): void {
    expect(this.items).toContain(item);
    this.items = this.items.filter((other) => other !== item);
    this.all.rows.release(item);
  }

  earliestMs(): number {
    return Math.min(...this.items.map((item) => this.all.dueMs(item)));
  }

  add(inMs: number): void {
    const item = this.all.take(this.nowMs + inMs);
    this.items.push(item);
    this.wheel.add(item, this.nowMs);
  }

  remove(index: number): void {
    const item = this.pick(index);
    if (!item) return;
    this.wheel.remove(item);
    this.forget(item);
  }

  move(index: number, inMs: number): void {
    const item = this.pick(index);
    if (!item) return;
    this.all.setDue(item, this.nowMs + inMs);
    this.wheel.moved(item, this.nowMs);
  }

  moveBy(index: number, byMs: number): void {
    const item = this.pick(index);
    if (item) this.move(index, this.all.dueMs(item) + byMs - this.nowMs);
  }

  takeDue(): void {
    const item = this.wheel.takeDue(this.nowMs, { looks: Number.POSITIVE_INFINITY });
    if (item) {
      expect(this.all.dueMs(item)).toBeLessThanOrEqual(this.nowMs);
      this.forget(item);
    } else {
      expect(this.earliestMs()).toBeGreaterThan(this.nowMs);
    }
  }

  takeFirst(): void {
    const earliestMs = this.earliestMs();
    const item = this.wheel.takeFirst(this.nowMs, { looks: Number.POSITIVE_INFINITY });
    if (!item) {
      expect(this.items).toEqual([]);
      return;
    }
    // A slot is as wide as an eighth of the time to its end, which is a seventh of the time to its start.
    const leftMs = Math.max(0, earliestMs - this.nowMs);
    expect(this.all.dueMs(item) - this.nowMs).toBeLessThanOrEqual(leftMs + leftMs / 7);
    this.forget(item);
  }

  /** Takes out the remaining rows at the end. */
  drain(): void {
    while (this.items.length > 0) this.takeFirst();
    expect(this.wheel.takeFirst(this.nowMs, { looks: Number.POSITIVE_INFINITY })).toBe(0);
    expect(this.wheel.takeDue(this.nowMs, { looks: 1 })).toBe(0);
  }
}

/** Times to wait for, of every order of magnitude up to ten thousand years. */
const waitMs = fc.oneof(
  fc.integer({ min: -10, max: 100 }),
  fc.integer({ min: 0, max: 100_000 }),
  fc.integer({ min: 0, max: 40_000_000_000 }),
  fc.integer({ min: 8 ** 16 - 100, max: 8 ** 16 + 10 ** 12 }),
);
const index = fc.nat(1000);

/** How time moves, forward or back, within the range of the wheel: thousands of years. */
const passesMs = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.integer({ min: -100_000, max: 100_000 }),
  fc.integer({ min: 0, max: 40_000_000_000 }),
);

type Act = (world: World) => void;

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: waitMs.map(
      (inMs): Act =>
        (world) =>
          world.add(inMs),
    ),
  },
  {
    weight: 2,
    arbitrary: index.map(
      (i): Act =>
        (world) =>
          world.remove(i),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(index, waitMs).map(
      ([i, inMs]): Act =>
        (world) =>
          world.move(i, inMs),
    ),
  },
  {
    weight: 2,
    arbitrary: passesMs.map(
      (byMs): Act =>
        (world) => {
          world.nowMs += byMs;
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(index, fc.integer({ min: -100, max: 100 })).map(
      ([i, byMs]): Act =>
        (world) =>
          world.moveBy(i, byMs),
    ),
  },
  { weight: 3, arbitrary: fc.constant<Act>((world) => world.takeDue()) },
  { weight: 2, arbitrary: fc.constant<Act>((world) => world.takeFirst()) },
);

describe('The timer wheel', () => {
  it('takes due items never early and misses none, and the first item to within an eighth of the time left', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120 }), (acts) => {
        const world = new World();
        for (const each of acts) each(world);
        world.drain();
      }),
      { numRuns: 1000 },
    );
  });

  it('does not miss an item whose time moves to just before its slot', () => {
    const items = new Items();
    const wheel = new TimerWheel(items.rows);
    const item = items.take(1000);
    wheel.add(item, 0);
    items.setDue(item, 959);
    wheel.moved(item, 0);
    expect(wheel.takeDue(958, { looks: 10 })).toBe(0);
    expect(wheel.takeDue(959, { looks: 10 })).toBe(item);
  });

  it('looks at no more items than its budget allows', () => {
    const all = new Items();
    const wheel = new TimerWheel(all.rows);
    const items = Array.from({ length: 10 }, () => all.take(1000));
    for (const item of items) wheel.add(item, 0);
    // Their times change without their places, so each search puts one of them away again.
    for (const item of items) {
      all.setDue(item, 5000);
      wheel.moved(item, 0);
    }
    const budget = { looks: 3 };
    expect(wheel.takeDue(2000, budget)).toBe(0);
    expect(budget.looks).toBe(0);
    expect(wheel.takeDue(2000, { looks: 7 })).toBe(0);
    expect(wheel.takeDue(4999, { looks: 1000 })).toBe(0);
    expect(items).toContain(wheel.takeDue(5000, { looks: 1 }));
  });

  it('finds one of very many items with the same time within its budget', () => {
    const all = new Items();
    const wheel = new TimerWheel(all.rows);
    const dueMs = 1_000_000;
    const count = 20_000;
    for (let i = 0; i < count; i += 1) wheel.add(all.take(dueMs), 0);
    // Near the end all of them are in one slot that is much too wide.
    const nowMs = dueMs - 5000;
    for (let i = 0; i < count; i += 1) {
      const budget = { looks: 64 };
      const row = wheel.takeFirst(nowMs, budget);
      expect([row > 0, budget.looks >= 0]).toEqual([true, true]);
      all.rows.release(row);
    }
    expect(wheel.takeFirst(nowMs, { looks: 64 })).toBe(0);
  });

  it('takes the earliest item that it saw if its budget ends before it found the first', () => {
    const all = new Items();
    const wheel = new TimerWheel(all.rows);
    const items = [1_000_300, 1_000_100, 1_000_200].map((dueMs) => all.take(dueMs));
    for (const item of items) wheel.add(item, 0);
    const nowMs = 999_000;
    expect(wheel.takeFirst(nowMs, { looks: 3 })).toBe(items[1]);
    expect(wheel.takeFirst(nowMs, { looks: 3 })).toBe(items[2]);
    expect(wheel.takeFirst(nowMs, { looks: 1 })).toBe(items[0]);
  });

  it('takes the first item of the next slot instead, if that is due earlier than those that it saw', () => {
    const all = new Items();
    const wheel = new TimerWheel(all.rows);
    for (const dueMs of [4600, 4600]) wheel.add(all.take(dueMs), 0);
    const nowMs = 4190;
    const item = all.take(4200);
    wheel.add(item, nowMs);
    expect(wheel.takeFirst(nowMs, { looks: 1 })).toBe(item);
  });
});
