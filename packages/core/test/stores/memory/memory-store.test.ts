import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import {
  createLimiter,
  fixedWindow,
  type Limit,
  leakyBucket,
  MemoryStore,
  slidingWindow,
  slidingWindowLog,
  storeMetrics,
  subscribe,
  tokenBucket,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { EVERYTHING, PEEKS_OF_SHARED_CODE } from '@sluice/test-kit/store-claims';

storeSuite('MemoryStore', (clock) => new MemoryStore({ clock }), EVERYTHING);
storeSuite(
  "MemoryStore with whenFull: 'refuse'",
  (clock) => new MemoryStore({ clock, whenFull: 'refuse' }),
  EVERYTHING,
  { peeks: PEEKS_OF_SHARED_CODE },
);

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

let clock: ManualClock;
const stores: MemoryStore[] = [];

beforeEach(() => {
  clock = new ManualClock();
});

afterEach(() => {
  for (const store of stores.splice(0)) store.close();
});

function storeOf(options: ConstructorParameters<typeof MemoryStore>[0]): MemoryStore {
  const store = new MemoryStore({ clock, ...options });
  stores.push(store);
  return store;
}

const checkOf = (key: string, limit: Limit, cost = 1) => ({ policy: 'policy', name: 'limit', key, limit, cost });

/** Two units for so many seconds from the first. */
const twoIn = (seconds: number): Limit => fixedWindow({ limit: 2, window: `${seconds}s` });

function spend(store: MemoryStore, key: string, seconds: number, cost = 1): void {
  store.consume({ checks: [checkOf(key, twoIn(seconds), cost)] });
}

/** Which of the keys have something spent. */
function known(store: MemoryStore, ...keys: string[]): string[] {
  return keys.filter((key) => {
    const [verdict] = store.consume({ checks: [checkOf(key, twoIn(3600))], peek: true }).verdicts;
    return (verdict?.remaining as number) < 2;
  });
}

describe('A full MemoryStore', () => {
  let forgotten: number[];
  let stopListening: () => void;

  beforeEach(() => {
    forgotten = [];
    stopListening = subscribe('sluice:evicted', ({ keys }) => forgotten.push(keys));
  });

  afterEach(() => stopListening());

  it('evicts an expired key first', () => {
    const store = storeOf({ maxKeys: 3 });
    spend(store, 'exhausted', 60, 2);
    spend(store, 'expired', 1, 2);
    spend(store, 'ordinary', 30);
    clock.advance('1s');
    spend(store, 'new', 60);
    expect(store.size).toBe(3);
    expect(known(store, 'exhausted', 'ordinary', 'new')).toEqual(['exhausted', 'ordinary', 'new']);
    expect(forgotten).toEqual([]);
  });

  it('then evicts the key of little use that would be fresh first, without an event', () => {
    const store = storeOf({ maxKeys: 3 });
    spend(store, 'in 20 s', 20);
    spend(store, 'in 10 s', 10);
    spend(store, 'in 30 s', 30);
    spend(store, 'new', 60);
    expect(known(store, 'in 10 s', 'in 20 s', 'in 30 s', 'new')).toEqual(['in 20 s', 'in 30 s', 'new']);
    spend(store, 'newer', 60);
    expect(known(store, 'in 20 s', 'in 30 s', 'new', 'newer')).toEqual(['in 30 s', 'new', 'newer']);
    expect(forgotten).toEqual([]);
  });

  it('keeps exhausted keys while there are others, even if they reset soon', () => {
    const store = storeOf({ maxKeys: 3 });
    spend(store, 'exhausted', 2, 2);
    spend(store, 'ordinary', 3000);
    spend(store, 'other', 3000);
    for (const key of ['a', 'b', 'c', 'd']) spend(store, key, 1000);
    expect(known(store, 'exhausted')).toEqual(['exhausted']);
    expect(forgotten).toEqual([]);
  });

  it('keeps blocked keys like exhausted ones', () => {
    const store = storeOf({ maxKeys: 2 });
    const blocking = fixedWindow({ limit: 2, window: '1s', blockDuration: '10s' });
    store.consume({ checks: [checkOf('blocked', blocking)] });
    store.consume({ checks: [checkOf('blocked', blocking, 2)] });
    clock.advance('5s');
    for (const key of ['a', 'b', 'c']) spend(store, key, 3000);
    expect(store.consume({ checks: [checkOf('blocked', blocking)] }).allowed).toBe(false);
    expect(forgotten).toEqual([]);
  });

  it('evicts the exhausted key that is admitted again first if there are only exhausted ones, and publishes it', () => {
    const store = storeOf({ maxKeys: 3 });
    spend(store, 'in 20 s', 20, 2);
    spend(store, 'in 10 s', 10, 2);
    spend(store, 'in 30 s', 30, 2);
    spend(store, 'new', 60, 2);
    expect(known(store, 'in 10 s', 'in 20 s', 'in 30 s', 'new')).toEqual(['in 20 s', 'in 30 s', 'new']);
    expect(forgotten).toEqual([1]);
  });

  it('evicts a key before exhausted ones from the moment that it is admitted again, and publishes it', () => {
    const store = storeOf({ maxKeys: 2 });
    const bucket = tokenBucket({ capacity: 1000, refillRate: 1 });
    const left = () => store.consume({ checks: [checkOf('bucket', bucket)], peek: true }).verdicts[0]?.remaining;
    store.consume({ checks: [checkOf('bucket', bucket, 1000)] });
    spend(store, 'exhausted', 10, 2);
    clock.advance(999);
    expect(left()).toBe(0);
    clock.advance(1);
    expect(left()).toBe(1);
    spend(store, 'new', 60, 2);
    expect(left()).toBe(1000);
    expect(known(store, 'exhausted', 'new')).toEqual(['exhausted', 'new']);
    expect(forgotten).toEqual([1]);
  });

  it('treats an exhausted key as ordinary after its units were given back', () => {
    const store = storeOf({ maxKeys: 2 });
    spend(store, 'refunded', 60, 2);
    spend(store, 'exhausted', 10, 2);
    store.adjust({ checks: [checkOf('refunded', twoIn(60), -1)] });
    spend(store, 'new', 60, 2);
    expect(known(store, 'refunded', 'exhausted', 'new')).toEqual(['exhausted', 'new']);
    expect(forgotten).toEqual([]);
  });

  it('keeps an exhausted key exhausted against very many others', () => {
    const store = storeOf({ maxKeys: 10_000 });
    spend(store, 'attacker', 60, 2);
    for (let i = 0; i < 50_000; i += 1) {
      spend(store, `key-${i}`, 60);
      if (i % 10 === 0) clock.advance(1);
    }
    expect(store.size).toBe(10_000);
    expect(store.consume({ checks: [checkOf('attacker', twoIn(60))] }).allowed).toBe(false);
    expect(forgotten).toEqual([]);
  });

  it.each([
    ['a fixed window', fixedWindow({ limit: 100, window: '1m' })],
    ['a sliding window', slidingWindow({ limit: 100, window: '1m' })],
    ['a log', slidingWindowLog({ limit: 100, window: '1m' })],
    ['a bucket', tokenBucket({ capacity: 100, refillRate: 1 })],
    ['a leaky bucket', leakyBucket({ capacity: 100, leakRate: 1 })],
  ])('keeps keys that have spent more than the keys of a flood: %s', (_, limit) => {
    const store = storeOf({ maxKeys: 1000 });
    const limiter = createLimiter({ name: 'policy', store, limit });
    const spent = [13, 30, 51, 80, 100].flatMap((units) =>
      Array.from({ length: 20 }, (_, i) => ({ key: `spent-${units}-${i}`, units })),
    );
    // Units that come one by one are decided otherwise than those that come together.
    for (const { key, units } of spent.slice(0, 50)) for (let i = 0; i < units; i += 1) limiter.consume(key);
    for (const { key, units } of spent.slice(50)) limiter.consume(key, { cost: units });
    const fresh = (): string[] => spent.map(({ key }) => key).filter((key) => limiter.peek(key).tightest.used === 0);
    // Half of the flood comes by the other way through the store.
    for (let i = 0; i < 2900; i += 1) {
      if (i % 2 === 0) limiter.consume(`flood-${i}`);
      else store.consume({ checks: [{ ...checkOf(`flood-${i}`, limit), name: 'limit' }] });
    }
    expect(store.size).toBe(1000);
    expect(fresh()).toEqual([]);
    expect(forgotten).toEqual([]);
    // Ten seconds later some units have come back.
    clock.advance('10s');
    for (let i = 0; i < 2900; i += 1) limiter.consume(`later-${i}`);
    expect(fresh().filter((key) => !/^spent-(13|30)-/.test(key))).toEqual([]);
    expect(forgotten).toEqual([]);
  });

  it('says which keys it forgot although they had used more than half of their quota', () => {
    const store = storeOf({ name: 'crowded', maxKeys: 100 });
    const limit = fixedWindow({ limit: 100, window: '1m' });
    const use = (key: string, units: number): void => {
      store.consume({ checks: [checkOf(key, limit, units)] });
    };
    for (let i = 0; i < 100; i += 1) use(`half-${i}`, 50);
    for (let i = 0; i < 100; i += 1) use(`more-${i}`, 51);
    expect(forgotten).toEqual([]);
    for (let i = 0; i < 30; i += 1) use(`also-${i}`, 51);
    expect(forgotten).toEqual(Array(30).fill(1));
    expect(storeMetrics().find(({ store: name }) => name === 'crowded')?.evictedKeys).toBe(30);
  });

  it('keeps the strikes of a key that was blocked', () => {
    const store = storeOf({ maxKeys: 10 });
    const limit = fixedWindow({
      limit: 1,
      window: '1s',
      blockDuration: { first: '10s', factor: 2, max: '1h', forget: '1h' },
    });
    const blockedMs = (): unknown =>
      [1, 2].map(() => store.consume({ checks: [checkOf('offender', limit)] }).verdicts[0]?.retryAfterMs).at(-1);
    expect(blockedMs()).toBe(10_000);
    clock.advance('11s');
    for (let i = 0; i < 100; i += 1) spend(store, `flood-${i}`, 7200);
    expect(blockedMs()).toBe(20_000);
  });

  it('keeps a key of a request that it evicted for another key of that ask', () => {
    const store = storeOf({ maxKeys: 1 });
    spend(store, 'a', 60);
    expect(store.consume({ checks: ['b', 'a'].map((key) => checkOf(key, twoIn(60))) }).allowed).toBe(true);
    expect(known(store, 'a', 'b')).toEqual(['a']);
    expect(store.consume({ checks: [checkOf('a', twoIn(60))] }).allowed).toBe(false);
    expect(store.size).toBe(1);
  });

  it('remembers replies of at most as many ids as keys', () => {
    const store = storeOf({ maxKeys: 2 });
    const remaining = (id: string) =>
      store.consume({ checks: [checkOf('ann', slidingWindow({ limit: 9, window: '1m' }))], id, holdMs: 1000 })
        .verdicts[0]?.remaining;
    expect(['a', 'b', 'a', 'c', 'c', 'a'].map(remaining)).toEqual([8, 7, 8, 6, 6, 5]);
  });

  it('never keeps more than maxKeys, also in one request', () => {
    const store = storeOf({ maxKeys: 2 });
    const checks = ['a', 'b', 'c', 'd'].map((key) => checkOf(key, twoIn(60)));
    expect(store.consume({ checks }).allowed).toBe(true);
    expect(store.size).toBe(2);
  });
});

describe("A full MemoryStore with whenFull: 'refuse'", () => {
  const refused = { allowed: false, remaining: 0, retryAfterMs: 1000 };

  it('refuses new keys for a second, and continues with known keys', () => {
    const store = storeOf({ maxKeys: 2, whenFull: 'refuse' });
    spend(store, 'a', 60);
    spend(store, 'b', 60);
    const reply = store.consume({ checks: [checkOf('c', twoIn(60))] });
    expect(reply.allowed).toBe(false);
    expect(reply.verdicts[0]).toMatchObject(refused);
    expect(store.consume({ checks: [checkOf('c', twoIn(60))], peek: true }).verdicts[0]).toMatchObject(refused);
    expect(store.consume({ checks: [checkOf('a', twoIn(60))] }).allowed).toBe(true);
    expect(known(store, 'a', 'b')).toEqual(['a', 'b']);
  });

  it('writes nothing about a key that has no room, not even a block or a counted refusal', () => {
    const store = storeOf({ maxKeys: 1, whenFull: 'refuse' });
    spend(store, 'a', 60);
    const strict = slidingWindow({ limit: 2, window: '1m', blockDuration: '1h', countRejected: 'always' });
    for (const cost of [1, 2, 3]) expect(store.consume({ checks: [checkOf('b', strict, cost)] }).allowed).toBe(false);
    expect(known(store, 'a')).toEqual(['a']);
    store.reset([checkOf('a', twoIn(60))]);
    expect(store.consume({ checks: [checkOf('b', strict, 2)] }).allowed).toBe(true);
  });

  it('has room again when a key expires or is reset', () => {
    const store = storeOf({ maxKeys: 1, whenFull: 'refuse' });
    spend(store, 'a', 1);
    clock.advance(999);
    expect(store.consume({ checks: [checkOf('b', twoIn(60))] }).allowed).toBe(false);
    clock.advance(1);
    expect(store.consume({ checks: [checkOf('b', twoIn(60))] }).allowed).toBe(true);
    store.reset([checkOf('b', twoIn(60))]);
    expect(store.consume({ checks: [checkOf('c', twoIn(60))] }).allowed).toBe(true);
  });

  it('spends nothing on the other limits of a request whose new key has no room', () => {
    const store = storeOf({ maxKeys: 1, whenFull: 'refuse' });
    spend(store, 'a', 60);
    expect(store.consume({ checks: [checkOf('a', twoIn(60)), checkOf('b', twoIn(60))] }).allowed).toBe(false);
    const [verdict] = store.consume({ checks: [checkOf('a', twoIn(60))], peek: true }).verdicts;
    expect(verdict?.remaining).toBe(1);
  });

  it('evicts no key for a request with more new keys than there is room for', () => {
    const store = storeOf({ maxKeys: 2, whenFull: 'refuse' });
    spend(store, 'a', 60, 2);
    const reply = store.consume({ checks: [checkOf('b', twoIn(90), 2), checkOf('c', twoIn(90), 2)] });
    expect(reply.allowed).toBe(false);
    expect(known(store, 'a', 'b', 'c')).toEqual(['a']);
    expect(store.consume({ checks: [checkOf('b', twoIn(90), 2)] }).allowed).toBe(true);
  });

  it('evicts no key for a request with an expired and a new key', () => {
    const store = storeOf({ maxKeys: 2, whenFull: 'refuse' });
    spend(store, 'ordinary', 60);
    spend(store, 'expired', 1);
    clock.advance('1s');
    expect(store.consume({ checks: ['expired', 'new'].map((key) => checkOf(key, twoIn(60))) }).allowed).toBe(false);
    expect(known(store, 'ordinary', 'expired', 'new')).toEqual(['ordinary']);
    expect(store.consume({ checks: [checkOf('new', twoIn(60))] }).allowed).toBe(true);
  });
});

it('A MemoryStore remembers as many corrections as it has maxKeys, and drops the oldest first', () => {
  const store = storeOf({ maxKeys: 3 });
  const limit = slidingWindow({ limit: 10, window: '1h' });
  const { atMs } = store.consume({ checks: [checkOf('a', limit, 10)] });
  const giveBack = (id: string) => store.adjust({ checks: [checkOf('a', limit, -1)], id, atMs }).verdicts[0]?.remaining;
  expect(['1', '2', '3'].map(giveBack)).toEqual([1, 2, 3]);
  expect(['1', '2', '3'].map(giveBack)).toEqual([3, 3, 3]);
  expect(['4', '2', '3', '1'].map(giveBack)).toEqual([4, 4, 4, 5]);
});

describe("A charge of a new key in a full MemoryStore with whenFull: 'refuse'", () => {
  const refused = { allowed: false, remaining: 0, retryAfterMs: 1000 };

  it('evicts no key, records nothing, and reports that the key is refused', () => {
    const store = storeOf({ maxKeys: 2, whenFull: 'refuse' });
    spend(store, 'a', 60);
    spend(store, 'b', 60, 2);
    const reply = store.adjust({ checks: [checkOf('c', twoIn(60), 1)], id: 'charge' });
    expect(reply).toMatchObject({ result: 'expired', verdicts: [refused] });
    expect(store.size).toBe(2);
    store.reset([checkOf('a', twoIn(60))]);
    expect(known(store, 'a', 'b', 'c')).toEqual(['b']);
  });

  it('makes the other corrections of the same change', () => {
    const store = storeOf({ maxKeys: 2, whenFull: 'refuse' });
    spend(store, 'a', 60);
    spend(store, 'b', 60);
    const checks = ['a', 'new', 'b'].map((key) => checkOf(key, twoIn(60)));
    const { result, verdicts } = store.adjust({ checks });
    expect(result).toBe('applied');
    expect(verdicts.map(({ remaining, retryAfterMs }) => [remaining, retryAfterMs])).toEqual([
      [0, 60_000],
      [0, 1000],
      [0, 60_000],
    ]);
    expect(store.size).toBe(2);
  });

  it('is recorded if an expired key makes room', () => {
    const store = storeOf({ maxKeys: 1, whenFull: 'refuse' });
    spend(store, 'a', 1);
    clock.advance('1s');
    expect(store.adjust({ checks: [checkOf('b', twoIn(60), 1)] }).result).toBe('applied');
    expect(known(store, 'b')).toEqual(['b']);
  });

  it('returns a refused Decision from charge()', () => {
    const store = storeOf({ maxKeys: 1, whenFull: 'refuse' });
    const limiter = createLimiter({ limit: 5, window: '1m', store });
    limiter.consume('ann');
    limiter.charge('bob', { cost: 2 });
    expect(limiter.peek('bob')).toMatchObject({ allowed: false, retryAfterMs: 1000 });
    expect(limiter.peek('ann').tightest.remaining).toBe(4);
  });
});

describe('A full MemoryStore is not held up by very many keys', () => {
  const MANY = 40_000;

  /** Processor time, which a busy machine does not lengthen much. */
  function busyMs(work: () => void): number {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  }

  /**
   * What the quickest of some decisions takes, each in a store of its own since the garbage collector may take its own, as a
   * part of what it takes to fill the store: a machine that is slower is so at both.
   */
  function partOfFilling(fill: () => MemoryStore, decide: (store: MemoryStore) => unknown): number {
    const runs = Array.from({ length: 4 }, () => {
      let store: MemoryStore | undefined;
      const filledMs = busyMs(() => {
        store = fill();
      });
      collectGarbage();
      return { filledMs, decidedMs: busyMs(() => decide(store as MemoryStore)) };
    });
    return Math.min(...runs.map(({ decidedMs }) => decidedMs)) / Math.min(...runs.map(({ filledMs }) => filledMs));
  }

  it.each([
    ['that are exhausted', 2, 2],
    ['that have used most', 10, 9],
    ['that have used some', 10, 5],
    ['that have used little', 10, 1],
  ])('%s until the same moment', (_, quota, units) => {
    const part = partOfFilling(
      () => {
        const store = storeOf({ maxKeys: MANY });
        // They end late in a slot of the timer wheel, all of them, and near its end the slot is too wide.
        const widthMs = 4096;
        clock.set((Math.floor(clock.now() / widthMs) + 1) * widthMs - 60_096);
        const limit = fixedWindow({ limit: quota, window: '60s' });
        for (let i = 0; i < MANY; i += 1) store.consume({ checks: [checkOf(`key-${i}`, limit, units)] });
        clock.advance('55s');
        return store;
      },
      (store) => spend(store, 'new', 60),
    );
    expect(part).toBeLessThan(0.01);
  });

  it('whose replies are no longer remembered', () => {
    const checks = [checkOf('ann', slidingWindow({ limit: MANY, window: '1h' }))];
    const part = partOfFilling(
      () => {
        const store = storeOf({});
        for (let i = 0; i < MANY; i += 1) store.consume({ checks, id: `${i}`, holdMs: 1000 });
        clock.advance('2s');
        return store;
      },
      (store) => store.consume({ checks, id: 'new', holdMs: 1000 }),
    );
    expect(part).toBeLessThan(0.01);
  });
});

describe('The memory of a MemoryStore', () => {
  it('keeps nothing of a key that is fresh again, was only peeked at, or was never admitted', () => {
    const store = storeOf({});
    const check = checkOf('ann', slidingWindow({ limit: 5, window: '1m' }));
    store.consume({ checks: [check], peek: true });
    store.consume({ checks: [{ ...check, cost: 0 }] });
    store.consume({ checks: [{ ...check, cost: 6 }] });
    store.adjust({ checks: [{ ...check, cost: -1 }] });
    expect(store.size).toBe(0);
    store.consume({ checks: [check] });
    expect(store.size).toBe(1);
    store.adjust({ checks: [{ ...check, cost: -1 }] });
    expect(store.size).toBe(0);
    store.consume({ checks: [check] });
    store.reset([check]);
    expect(store.size).toBe(0);
  });

  it('counts each limit of a key', () => {
    const store = storeOf({});
    const names = ['first', 'second', 'third'];
    store.consume({ checks: names.map((name) => ({ ...checkOf('ann', twoIn(60)), name })) });
    expect(store.size).toBe(3);
  });

  it('holds no text of which its keys are only a part', () => {
    const store = storeOf({});
    const usedBytes = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const beforeBytes = usedBytes();
    for (let i = 0; i < 1000; i += 1) {
      const header = Buffer.alloc(16_000, `key number ${i}, `).toString('latin1');
      spend(store, header.slice(0, 40), 60);
    }
    expect(usedBytes() - beforeBytes).toBeLessThan(8_000_000);
    expect(store.size).toBe(1000);
  });

  it('keeps no process alive', () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    spend(storeOf({}), 'ann', 60);
    expect(timers()).toBe(before);
  });

  describe('between requests', () => {
    beforeEach(() => {
      jest.useFakeTimers();
    });

    afterEach(() => {
      jest.useRealTimers();
    });

    const SWEEP_MS = 250;

    it('is freed of expired keys by one timer, which stops when the store is empty', () => {
      const store = storeOf({});
      expect(jest.getTimerCount()).toBe(0);
      for (const key of ['a', 'b', 'c']) spend(store, key, 1);
      spend(store, 'd', 2, 2);
      expect(jest.getTimerCount()).toBe(1);
      jest.advanceTimersByTime(SWEEP_MS);
      expect(store.size).toBe(4);
      clock.advance('1s');
      jest.advanceTimersByTime(SWEEP_MS);
      expect(store.size).toBe(1);
      clock.advance('1s');
      jest.advanceTimersByTime(SWEEP_MS);
      expect(store.size).toBe(0);
      expect(jest.getTimerCount()).toBe(0);
      spend(store, 'e', 1);
      expect(jest.getTimerCount()).toBe(1);
    });

    it('looks for expired keys four times a second, so that a process with nothing else to do hardly wakes', () => {
      spend(storeOf({}), 'a', 60);
      const looked = jest.spyOn(clock, 'now');
      jest.advanceTimersByTime(10_000);
      expect(looked).toHaveBeenCalledTimes(40);
    });

    it.each<[string, (store: MemoryStore) => void]>([
      ['was reset', (store) => store.reset([checkOf('a', twoIn(60))])],
      ['was given back', (store) => store.adjust({ checks: [checkOf('a', twoIn(60), -1)] })],
    ])(
      'ends its timer at the next look when the last key %s, and has one for all keys that come and go until then',
      (_, end) => {
        const store = storeOf({});
        const timers = jest.spyOn(globalThis, 'setInterval');
        for (let i = 0; i < 3; i += 1) {
          spend(store, 'a', 60);
          end(store);
          expect([store.size, timers.mock.calls.length]).toEqual([0, 1]);
        }
        jest.advanceTimersByTime(SWEEP_MS);
        expect(jest.getTimerCount()).toBe(0);
      },
    );

    it('runs no timer when the store was closed', () => {
      const store = storeOf({});
      spend(store, 'a', 60);
      store.close();
      expect(jest.getTimerCount()).toBe(0);
    });

    it('is freed of very many expired keys in small steps', () => {
      const store = storeOf({});
      for (let i = 0; i < 60_000; i += 1) spend(store, `key-${i}`, 1, 1 + (i % 2));
      clock.advance('1s');
      jest.advanceTimersByTime(SWEEP_MS);
      expect(store.size).toBeGreaterThan(40_000);
      jest.advanceTimersByTime(10 * SWEEP_MS);
      expect(store.size).toBe(0);
    });
  });
});

describe('The options of a MemoryStore', () => {
  it.each([
    [{ maxKeys: 0 }, 'maxKeys'],
    [{ maxKeys: 1.5 }, 'maxKeys'],
    [{ maxKeys: 16_000_001 }, 'maxKeys'],
    [{ maxKeys: '10' }, 'maxKeys'],
    [{ clock: {} }, 'clock'],
    [{ clock: null }, 'clock'],
    [{ whenFull: 'forget' }, 'whenFull'],
    [{ max: 10 }, 'max'],
    [null, 'options'],
    [[], 'options'],
  ])('are refused when wrong: %j', (options, path) => {
    const make = () => new MemoryStore(options as never);
    expect(make).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
  });

  it('are all optional', () => {
    const store = new MemoryStore();
    stores.push(store);
    expect(store.consume({ checks: [checkOf('ann', twoIn(60))] }).allowed).toBe(true);
    expect(Math.abs(store.clock.now() - Date.now())).toBeLessThan(60_000);
  });
});
