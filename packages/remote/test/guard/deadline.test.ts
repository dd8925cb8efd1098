import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  concurrency,
  createLimiter,
  type LimitCheck,
  type Limiter,
  SluiceError,
  type StoreRequest,
  slidingWindow,
  subscribe,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/src/testing/manual-clock';
import { systemClock } from '@sluice/core/src/values/clock';
import { protectStore } from '../../src/guard/remote-store.js';
import { RemoteMemory } from './remote-memory.js';

const ten = { limit: 10, window: '1h' } as const;

/** Longer than a slow machine takes to answer. */
const DEADLINE_MS = 300;

let store: RemoteMemory;
let limiter: Limiter<string, true>;
let thaw: (() => void) | undefined;

beforeEach(async () => {
  store = new RemoteMemory(systemClock, DEADLINE_MS);
  limiter = createLimiter({ ...ten, store });
  await limiter.peek('ann');
});

afterEach(() => thaw?.());

/** The state in the store itself. */
async function remaining(): Promise<number> {
  const { verdicts } = await store.consume({ checks: store.asks[0]?.checks ?? [], peek: true });
  return verdicts[0]?.remaining ?? -1;
}

describe('A check of a remote store', () => {
  it('is decided by the store if it replies in time', async () => {
    store.back = () => systemClock.sleep(5);
    await expect(limiter.consume('ann')).resolves.toMatchObject({ allowed: true, source: 'store' });
  });

  it('is decided without it at the deadline', async () => {
    thaw = store.freeze();
    const startMs = performance.now();
    await expect(limiter.consume('ann')).resolves.toMatchObject({ allowed: true, source: 'local' });
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(DEADLINE_MS - 1);
  });

  it.each([
    [undefined, 'the store did not answer in time (SLUICE_STORE)'],
    ['the cable is out', 'the store did not answer in time: the cable is out (SLUICE_STORE)'],
  ])('is late for the reason that the store knows: %p', async (trouble, message) => {
    const errors: unknown[] = [];
    const stop = subscribe('sluice:store-error', ({ error }) => errors.push(error));
    store.trouble = trouble;
    thaw = store.freeze();
    await limiter.consume('ann');
    stop();
    expect(errors).toEqual([expect.objectContaining({ code: 'SLUICE_STORE', message })]);
  });

  it('is not charged if the store handles it after the deadline', async () => {
    thaw = store.freeze();
    await Promise.all(Array.from({ length: 4 }, () => limiter.consume('ann')));
    await systemClock.sleep(20);
    thaw();
    expect(await remaining()).toBe(10);
  });

  it('stays charged if the store handled it and the reply was lost, which is the strict side', async () => {
    store.back = () => new Promise(() => {});
    await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'local' });
    store.mend();
    expect(await remaining()).toBe(9);
  });

  it('uses a reply that arrived while the process was busy', async () => {
    store.back = () => {
      const answered = new Promise<void>((resolve) => setImmediate(resolve));
      const busyUntilMs = performance.now() + DEADLINE_MS + 30;
      while (performance.now() < busyUntilMs);
      return answered;
    };
    await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'store' });
  });

  it('carries the store’s time after which nothing is charged, also if the caller’s deadline is earlier', async () => {
    const clock = new ManualClock();
    store = new RemoteMemory(clock, 1000);
    limiter = createLimiter({ ...ten, store });
    await limiter.consume('ann');
    const [first] = store.asks;
    expect(first?.notAfterMs).toBeLessThan(clock.now() + 1000);
    expect(first?.notAfterMs).toBeGreaterThan(clock.now());
    clock.advance('3h');
    await limiter.consume('ann');
    expect(store.asks.at(-1)?.notAfterMs).toBeGreaterThan(clock.now());
  });

  it('is one call, once the store’s time is known', async () => {
    const before = store.calls;
    for (let i = 0; i < 5; i += 1) await limiter.consume('ann');
    expect(store.calls - before).toBe(5);
  });

  it('asks for the store’s time once for many simultaneous checks', async () => {
    store = new RemoteMemory(systemClock, 1000);
    limiter = createLimiter({ ...ten, store });
    await Promise.all(Array.from({ length: 20 }, () => limiter.consume('ann')));
    expect(store.calls).toBe(21);
  });

  it('is decided without a store that throws instead of rejecting', async () => {
    store.consume = () => {
      throw new Error('broken');
    };
    await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'local' });
  });
});

describe('A correction', () => {
  it('is also given up at the deadline, and reported', async () => {
    const reservation = await limiter.reserve('ann');
    thaw = store.freeze();
    await expect(reservation.settle(5)).resolves.toBeUndefined();
    await expect(limiter.reset('ann')).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    expect(await limiter.peek('ann')).toMatchObject({ source: 'local', tightest: { remaining: 10 } });
  });

  it('that is a mistake is no failure of the store', async () => {
    store.cut(new SluiceError('SLUICE_CLOSED', 'the store was closed'));
    await expect(limiter.consume('ann')).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });
});

describe('A slot whose reply arrives after the deadline', () => {
  const limit = concurrency({ limit: 1, lease: '1h' });
  const slot: LimitCheck = { policy: 'slots', name: 'one', key: 'ann', limit, cost: 1 };

  /** Whether the store itself has a slot left for the last request. */
  function isFree(): boolean {
    const checks = store.asks.at(-1)?.checks.filter((check) => check.limit === limit) ?? [];
    return store.memory.consume({ checks, peek: true }).allowed;
  }

  /** Asks, holds the replies until the deadline is over, and then delivers them. */
  async function askLate(ask: () => Promise<unknown>): Promise<void> {
    let deliver = (): void => {};
    const held = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    store.back = () => held;
    await ask();
    expect(isFree()).toBe(false);
    store.mend();
    deliver();
    await new Promise(setImmediate);
  }

  it('is freed at once, because its request was decided without it', async () => {
    const slots = createLimiter<string, true>({ name: 'slots', limit, store, onStoreError: 'deny' });
    await askLate(async () => expect((await slots.reserve('ann')).source).toBe('deny'));
    expect(isFree()).toBe(true);
    const reservation = await slots.reserve('ann');
    expect(reservation.allowed).toBe(true);
    await reservation.cancel();
  });

  it('is freed, but other charges stay, which is the strict side', async () => {
    const counted: LimitCheck = { ...slot, name: 'counted', limit: slidingWindow(ten) };
    const remote = protectStore(store);
    await askLate(() => expect(remote.consume({ checks: [counted, slot], id: 'a' })).rejects.toThrow());
    expect(isFree()).toBe(true);
    expect(store.memory.consume({ checks: [counted], peek: true }).verdicts[0]?.remaining).toBe(9);
  });

  it.each<[string, Partial<StoreRequest>]>([
    ['a renewal', { renew: true }],
    ['a question that may be repeated', { holdMs: 1000 }],
  ])('stays with %s', async (_, own) => {
    const remote = protectStore(store);
    const ask = { checks: [slot], id: 'a', ...own };
    if (own.renew) await remote.consume({ checks: [slot], id: 'a' });
    await askLate(() => expect(remote.consume(ask)).rejects.toThrow());
    expect(isFree()).toBe(false);
    expect((await remote.consume(ask)).allowed).toBe(true);
  });
});
