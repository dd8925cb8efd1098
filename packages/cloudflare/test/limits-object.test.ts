import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createLimiter, type Limiter } from '@sluice/core';
import { DurableObjectStore } from '../src/index.js';
import { EXPIRED_AT_ONCE, LEAST_ALARM_MS } from '../src/object-backend.js';
import { TestNamespace, type TestObject } from './objects.js';

const START_MS = 1_800_000_000_000;

let nowMs: number;
let namespace: TestNamespace;

beforeEach(() => {
  nowMs = START_MS;
  jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
  namespace = new TestNamespace();
});
afterEach(() => {
  jest.restoreAllMocks();
});

const limiterOf = (window: '10s' | '1h', limit = 1): Limiter<string, true> => {
  const store = new DurableObjectStore({ namespace, partition: 'all' });
  return createLimiter({ name: `of ${window} ${limit}`, limit, window, store });
};

const theObject = (): TestObject => namespace.object('all');
const keysOf = (): number | undefined => theObject().storage.keys?.length;

it('What was counted outlives the process of an object', async () => {
  const limiter = limiterOf('1h');
  expect((await limiter.consume('ann')).allowed).toBe(true);
  theObject().restart();
  expect((await limiter.consume('ann')).allowed).toBe(false);
  nowMs += 3_600_000;
  theObject().restart();
  expect((await limiter.consume('ann')).allowed).toBe(true);
});

it('The time of the object counts', async () => {
  const limiter = limiterOf('10s');
  await limiter.consume('ann');
  nowMs += 9_999;
  expect((await limiter.consume('ann')).tightest.retryAfterMs).toBe(1);
  nowMs += 1;
  expect((await limiter.consume('ann')).allowed).toBe(true);
});

it('An alarm forgets what does not count any more, and leaves nothing when nothing counts', async () => {
  const short = limiterOf('10s');
  await short.consume('ann');
  const { storage } = theObject();
  // A sliding window needs up to two windows. A busy object is not woken more often than once a minute.
  expect(storage.alarmMs).toBe(START_MS + LEAST_ALARM_MS);
  const long = limiterOf('1h');
  await long.consume('ann');
  expect([keysOf(), storage.alarmMs]).toEqual([2, START_MS + LEAST_ALARM_MS]);
  nowMs = storage.alarmMs as number;
  await theObject().ring();
  expect(keysOf()).toBe(1);
  expect(storage.alarmMs).toBeGreaterThanOrEqual(START_MS + 3_600_000);
  nowMs = storage.alarmMs as number;
  await theObject().ring();
  expect([keysOf(), storage.alarmMs]).toEqual([undefined, null]);
  // It goes on as a new one.
  expect((await short.consume('ann')).allowed).toBe(true);
  expect([keysOf(), storage.alarmMs]).toEqual([1, nowMs + LEAST_ALARM_MS]);
});

it('An alarm that is late enough stays, also after a restart, and one that is too late is replaced', async () => {
  const { storage } = theObject();
  await limiterOf('1h').consume('ann');
  const lateMs = storage.alarmMs as number;
  const set = jest.spyOn(storage, 'setAlarm');
  await limiterOf('1h', 2).consume('ann');
  theObject().restart();
  await limiterOf('1h', 3).consume('ann');
  expect(set).not.toHaveBeenCalled();
  await limiterOf('10s').consume('ann');
  expect(storage.alarmMs).toBe(START_MS + LEAST_ALARM_MS);
  expect(storage.alarmMs).toBeLessThan(lateMs);
});

it('An alarm that never rang is set again', async () => {
  const { storage } = theObject();
  const limiter = limiterOf('10s', 5);
  await limiter.consume('ann');
  nowMs += 10 * LEAST_ALARM_MS;
  await limiter.consume('ann');
  expect(storage.alarmMs).toBe(nowMs + LEAST_ALARM_MS);
});

it('An alarm deletes a bounded number of rows, and the next one follows at once', async () => {
  const limiter = limiterOf('10s');
  await Promise.all(Array.from({ length: EXPIRED_AT_ONCE + 1 }, (_, i) => limiter.consume(`key ${i}`)));
  nowMs += LEAST_ALARM_MS;
  await theObject().ring();
  expect([keysOf(), theObject().storage.alarmMs]).toEqual([1, nowMs]);
  await theObject().ring();
  expect(keysOf()).toBeUndefined();
});

it('Alarms that follow one another read each row once, and only the last one looks for the next time', async () => {
  const short = limiterOf('10s');
  const long = limiterOf('1h');
  await Promise.all(Array.from({ length: 2 * EXPIRED_AT_ONCE }, (_, i) => short.consume(`key ${i}`)));
  await Promise.all(Array.from({ length: 100 }, (_, i) => long.consume(`key ${i}`)));
  nowMs += LEAST_ALARM_MS;
  const exec = jest.spyOn(theObject().storage.sql, 'exec');
  const read: number[] = [];
  const wholeReads = () => exec.mock.calls.filter(([query]) => query.includes('min(expires_at)')).length;
  for (let alarm = 0; alarm < 3; alarm += 1) {
    await theObject().ring();
    read.push(wholeReads());
  }
  const from = exec.mock.calls.flatMap(([query, key]) => (query.startsWith('DELETE') ? [key as string] : []));
  expect(from).toEqual([...from].sort());
  expect(new Set(from).size).toBe(3);
  expect([read, keysOf()]).toEqual([[0, 0, 1], 100]);
  expect(theObject().storage.alarmMs).toBeGreaterThan(nowMs);
});

it('An object that is only looked at, or reset, writes nothing', async () => {
  const limiter = limiterOf('1h');
  await limiter.peek('ann');
  await limiter.reset('ann');
  await theObject().ring();
  expect([keysOf(), theObject().storage.alarmMs]).toEqual([undefined, null]);
});

it('A failure of the storage changes nothing, and fails the decision', async () => {
  const { storage } = theObject();
  const store = new DurableObjectStore({ namespace, partition: 'all' });
  const limits = [{ name: 'one', limit: 5, window: '1h' } as const, { name: 'two', limit: 5, window: '1h' } as const];
  const limiter = createLimiter({ limits, store, onStoreError: 'deny' });
  await limiter.consume('ann');
  const { exec } = storage.sql;
  let writes = 0;
  jest.spyOn(storage.sql, 'exec').mockImplementation((query, ...values) => {
    if (query.startsWith('INSERT')) writes += 1;
    if (writes === 2) throw new Error('the disk is full');
    return exec(query, ...values);
  });
  await expect(limiter.consume('ann')).resolves.toMatchObject({ allowed: false, source: 'deny' });
  jest.mocked(storage.sql.exec).mockRestore();
  expect((await limiter.peek('ann')).verdicts.map(({ remaining }) => remaining)).toEqual([4, 4]);
});

it('An alarm that cannot be set is set with the next write', async () => {
  const { storage } = theObject();
  jest.spyOn(storage, 'setAlarm').mockRejectedValueOnce(new Error('no'));
  const limiter = limiterOf('1h', 5);
  expect((await limiter.consume('ann')).allowed).toBe(true);
  expect(storage.alarmMs).toBeNull();
  await limiter.consume('ann');
  expect(storage.alarmMs).not.toBeNull();
});

it('A write that is not confirmed fails the decision', async () => {
  const store = new DurableObjectStore({ namespace, partition: 'all' });
  const limiter = createLimiter({ limit: 5, window: '1h', store, onStoreError: 'deny' });
  jest.spyOn(theObject().storage, 'sync').mockRejectedValueOnce(new Error('the object was reset'));
  await expect(limiter.consume('ann')).resolves.toMatchObject({ allowed: false, source: 'deny' });
  expect((await limiter.consume('ann')).source).toBe('store');
});

it('An object that could not read its alarm reads it with the next call', async () => {
  const { storage } = theObject();
  jest.spyOn(storage, 'getAlarm').mockRejectedValueOnce(new Error('no'));
  const limiter = limiterOf('1h', 5);
  expect((await limiter.consume('ann')).source).toBe('local');
  expect((await limiter.consume('ann')).source).toBe('store');
});

it('A process of the object that ends between two calls leaves the alarm and the counters of the one before', async () => {
  const limiter = limiterOf('10s', 3);
  const { storage } = theObject();
  const calls = Array.from({ length: 6 }, async (_, i) => {
    if (i % 2 === 1) theObject().restart();
    return (await limiter.consume('ann')).allowed;
  });
  expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(3);
  theObject().restart();
  nowMs = storage.alarmMs as number;
  await theObject().ring();
  expect([keysOf(), storage.alarmMs]).toEqual([undefined, null]);
});

it('Keys that are made up again and again leave nothing', async () => {
  const limiter = limiterOf('10s');
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(Array.from({ length: 50 }, (_, i) => limiter.consume(`key ${round} ${i}`)));
    nowMs += 30_000;
    if (nowMs >= (theObject().storage.alarmMs as number)) await theObject().ring();
    // Those of an alarm's wait, and of their own time.
    expect(keysOf() ?? 0).toBeLessThanOrEqual(200);
  }
  for (let i = 0; i < 2; i += 1) {
    nowMs = theObject().storage.alarmMs ?? nowMs;
    await theObject().ring();
  }
  expect([keysOf(), theObject().storage.alarmMs]).toEqual([undefined, null]);
});

it('A call that the Worker repeats counts once, also after a restart of the object', async () => {
  const limiter = limiterOf('1h', 5);
  for (let i = 0; i < 3; i += 1) {
    expect((await limiter.consume('ann', { id: 'order 7' })).tightest.used).toBe(1);
    theObject().restart();
  }
  expect((await limiter.consume('ann', { id: 'order 8' })).tightest.used).toBe(2);
});
