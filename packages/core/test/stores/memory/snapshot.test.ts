import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  concurrency,
  fixedWindow,
  type Limit,
  MemoryStore,
  type StoreRequest,
  slidingWindow,
  slidingWindowLog,
} from '@sluice/core';
import { restoreSnapshot, snapshotOf } from '@sluice/core/store';
import { ManualClock } from '@sluice/core/testing';
import { plainLimits, runs, strictLimits } from '@sluice/test-kit/arbitrary-limit';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import fc from 'fast-check';

beforeEach(() => {
  // Sweeps by real time would forget keys at other moments in one of two stores.
  jest.spyOn(globalThis, 'setInterval').mockReturnValue({ unref() {} } as never);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const again = (store: MemoryStore, clock: ManualClock, maxKeys?: number): MemoryStore =>
  closedAfterTest(restoreSnapshot(snapshotOf(store), { clock, ...(maxKeys !== undefined && { maxKeys }) }).store);

const open = (clock: ManualClock): MemoryStore => closedAfterTest(new MemoryStore({ clock }));

const requestOf = (limit: Limit, key: string, cost = 1, id?: string, name: string = limit.algorithm): StoreRequest => ({
  checks: [{ policy: 'p', name, key, limit, cost }],
  ...(id !== undefined && { id }),
});

const anyLimit = fc.oneof(
  ...Object.values(plainLimits),
  ...Object.values(strictLimits),
  // Its states are too long for the table, and stay objects.
  fc.constant(slidingWindowLog({ limit: 200, window: '5s' })),
);
const step = fc.record({
  key: fc.constantFrom('ann', 'bob', 'Łukasz', 'x'.repeat(200)),
  limit: fc.nat(1),
  cost: fc.oneof(fc.nat(3), fc.nat(70)),
  passesMs: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(3000)),
});
const steps = fc.array(step, { maxLength: 30 });

it('A store that is made of a snapshot decides as the other one does, under any limits and after any history', () => {
  fc.assert(
    fc.property(fc.tuple(anyLimit, anyLimit), steps, steps, (limits, before, after) => {
      const clock = new ManualClock();
      const store = new MemoryStore({ clock });
      let ids = 0;
      const take = ({ key, limit: index, cost, passesMs }: (typeof before)[0], stores: readonly MemoryStore[]) => {
        clock.advance(passesMs);
        ids += 1;
        const limit = limits[index as 0 | 1];
        const id = limit.leaseMs === undefined ? undefined : `${ids}`;
        // A state that has expired under its own limit may count under a longer one, as long as it is not swept.
        const request = requestOf(limit, key, id === undefined ? cost : 1, id, `${index}`);
        return stores.map((each) => each.consume(request));
      };
      for (const each of before) take(each, [store]);
      const { store: other, atMs } = restoreSnapshot(snapshotOf(store), { clock });
      expect(atMs).toBe(clock.now());
      for (const each of after) {
        const [one, two] = take(each, [store, other]);
        expect(two).toEqual(one);
      }
      store.close();
      other.close();
    }),
    runs(),
  );
});

describe('A snapshot', () => {
  const limit = slidingWindow({ limit: 10, window: '1m', blockDuration: '1h' });
  const target = { policy: 'p', name: limit.algorithm, key: 'ann' };

  it('has blocks of limits and those that were set by hand, with what was written beside them', () => {
    const clock = new ManualClock();
    const store = open(clock);
    store.consume(requestOf(limit, 'bob', 11));
    store.blocks.block({ targets: [target], forMs: 60_000, reason: 'scraping', text: 'Ann' });
    store.blocks.block({ targets: [{ ...target, key: 'eve' }], forMs: 'forever' });
    clock.advance(1000);
    const other = again(store, clock);
    const range = { limit: 10 };
    expect(other.blocks.list('p', range)).toEqual(store.blocks.list('p', range));
    expect(other.blocks.list('p', range)).toHaveLength(3);
    expect(other.blocks.find([target])).toEqual(store.blocks.find([target]));
    expect(other.consume(requestOf(limit, 'ann')).allowed).toBe(false);
    clock.advance(60_000);
    expect(other.consume(requestOf(limit, 'ann')).allowed).toBe(true);
    expect(other.consume(requestOf(limit, 'bob')).verdicts[0]).toMatchObject({ allowed: false, used: 0 });
  });

  it('has operations and corrections, so that none is made twice', () => {
    const clock = new ManualClock();
    const store = open(clock);
    const request = { ...requestOf(limit, 'ann', 3, 'pay-1'), holdMs: 60_000 };
    const change = { checks: [{ ...request.checks[0], cost: -1 } as (typeof request.checks)[0]], id: 'pay-1' };
    const first = store.consume(request);
    store.adjust(change);
    clock.advance(5);
    const other = again(store, clock);
    expect(other.consume(request)).toEqual({ ...first, nowMs: clock.now() });
    expect(other.adjust(change).result).toBe('repeated');
    expect(other.consume({ ...requestOf(limit, 'ann'), peek: true }).verdicts[0]?.used).toBe(2);
  });

  it('keeps a slot held until its lease ends, and its holder frees it', () => {
    const clock = new ManualClock();
    const store = open(clock);
    const slots = concurrency({ limit: 2, lease: '10s' });
    for (const id of ['a', 'b']) store.consume(requestOf(slots, 'ann', 1, id));
    const other = again(store, clock);
    expect(other.consume(requestOf(slots, 'ann', 1, 'c')).allowed).toBe(false);
    const [check] = requestOf(slots, 'ann', -1).checks;
    other.adjust({ checks: [check as NonNullable<typeof check>], id: 'a' });
    expect(other.consume(requestOf(slots, 'ann', 1, 'c')).allowed).toBe(true);
    clock.advance(10_000);
    expect(other.consume(requestOf(slots, 'ann', 1, 'd')).allowed).toBe(true);
  });

  it('has states that are too long for the table, as those of long logs', () => {
    const clock = new ManualClock();
    const store = open(clock);
    const log = slidingWindowLog({ limit: 200, window: '1m' });
    for (let i = 0; i < 150; i += 1) {
      store.consume(requestOf(log, 'ann'));
      clock.advance(100);
    }
    const other = again(store, clock);
    for (let i = 0; i < 60; i += 1) {
      expect(other.consume(requestOf(log, 'ann'))).toEqual(store.consume(requestOf(log, 'ann')));
      clock.advance(1000);
    }
  });

  it('has many keys, leaves out what has expired, and forgets those that have used least where there is less room', () => {
    const clock = new ManualClock();
    const store = open(clock);
    const hour = fixedWindow({ limit: 100, window: '1h' });
    const minute = fixedWindow({ limit: 100, window: '1m' });
    for (let i = 0; i < 3000; i += 1) store.consume(requestOf(i % 2 ? hour : minute, `${i}`, i % 100));
    for (let i = 0; i < 3000; i += 7) store.reset([{ policy: 'p', name: 'fixed-window', key: `${i}` }]);
    clock.advance(60_000);
    expect(snapshotOf(store).length).toBeLessThan(1500 * 90 + 10_000);
    const other = again(store, clock);
    const usedOf = (each: MemoryStore, i: number) =>
      each.consume({ ...requestOf(hour, `${i}`), peek: true }).verdicts[0]?.used;
    for (let i = 1; i < 3000; i += 2) expect(usedOf(other, i)).toBe(i % 7 === 0 ? 0 : i % 100);
    expect(other.size).toBeLessThan(1500);
    const small = again(store, clock, 100);
    expect(small.size).toBe(100);
    expect(usedOf(small, 99)).toBe(99);
  });

  it('is bytes, which may lie anywhere, and other bytes are refused', () => {
    const clock = new ManualClock();
    const store = open(clock);
    store.consume(requestOf(limit, 'ann', 4));
    const bytes = snapshotOf(store);
    const moved = new Uint8Array(bytes.length + 3);
    moved.set(bytes, 3);
    for (const same of [moved.subarray(3), Buffer.from(bytes)]) {
      const other = closedAfterTest(restoreSnapshot(same, { clock }).store);
      expect(other.consume({ ...requestOf(limit, 'ann'), peek: true }).verdicts[0]?.used).toBe(4);
    }
    const newer = new TextEncoder().encode('....{"version":2}');
    new DataView(newer.buffer).setUint32(0, newer.length - 4);
    for (const wrong of [new Uint8Array(), new Uint8Array(100), bytes.subarray(0, 50), bytes.subarray(0, -1), newer]) {
      expect(() => restoreSnapshot(wrong, { clock })).toThrow(
        expect.objectContaining({ code: 'SLUICE_OPTION', path: 'snapshot' }),
      );
    }
    store.close();
    expect(() => snapshotOf(store)).toThrow(expect.objectContaining({ code: 'SLUICE_CLOSED' }));
  });
});
