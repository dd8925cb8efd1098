import { describe, expect, it, jest } from '@jest/globals';
import {
  type Charge,
  type Clock,
  chargeOf,
  concurrency,
  createLimiter,
  MemoryStore,
  type Reservation,
  type StoreRequest,
  type StoreResponse,
} from '@sluice/core';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { settled } from '@sluice/test-kit/manual-store';
import { ManualClock } from '../../src/testing/manual-clock.js';

/** Counts the renewals. */
class CountingStore extends MemoryStore {
  renewals = 0;

  override consume(ask: StoreRequest): StoreResponse {
    if (ask.renew) this.renewals += 1;
    return super.consume(ask);
  }
}

/** Counts reads of the time and sleeps. Any code that looks at a slot does one of them. */
class CountingClock implements Clock {
  readonly manual = new ManualClock();
  readings = 0;
  sleeps = 0;

  now(): number {
    this.readings += 1;
    return this.manual.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps += 1;
    return this.manual.sleep(ms, signal);
  }
}

const LEASE_MS = 30_000;

/** Takes this many slots, evenly over a third of their lease, each with its own key. */
function hold(count: number) {
  const clock = new CountingClock();
  const store = new CountingStore({ clock });
  const limiter = createLimiter({ limit: concurrency({ limit: 1, lease: LEASE_MS }), store });
  const held: Reservation<false>[] = [];
  const started = clock.manual.now();
  for (let i = 0; i < count; i += 1) {
    clock.manual.set(started + Math.floor((i * LEASE_MS) / 3 / count));
    held.push(limiter.reserve(`user ${i}`));
  }
  return { clock, store, limiter, held };
}

/** Lets a lease pass. While there are sleepers, it moves a millisecond at a time. */
async function pass(clock: ManualClock, ms: number, stepMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
    clock.advance(stepMs);
    await settled();
  }
}

describe('Renewing slots', () => {
  it('asks the store three times per lease for each slot, and wakes as often for many slots as for few', async () => {
    const wakes: number[] = [];
    for (const count of [300, 3000]) {
      const { clock, store, limiter, held } = hold(count);
      store.renewals = 0;
      clock.sleeps = 0;
      await pass(clock.manual, LEASE_MS, 20);
      wakes.push(clock.sleeps);
      expect(store.renewals).toBeGreaterThanOrEqual(3 * count - count / 16);
      expect(store.renewals).toBeLessThanOrEqual(3.1 * count);
      expect(held.every((_, i) => !limiter.peek(`user ${i}`).allowed)).toBe(true);
      for (const reservation of held) reservation.settle();
    }
    expect(Math.max(...wakes)).toBeLessThan(3 * 64 * 1.2);
  });

  it('renews slots that were taken at the same moment a few at a time, to delay no request for long', async () => {
    const clock = new ManualClock();
    const store = new CountingStore({ clock });
    const limiter = createLimiter({ limit: concurrency({ limit: 1, lease: LEASE_MS }), store });
    for (let i = 0; i < 2000; i += 1) limiter.reserve(`user ${i}`);
    clock.advance(LEASE_MS / 3);
    let most = 0;
    for (let steps = 0; steps < 20; steps += 1) {
      const before = store.renewals;
      await settled();
      most = Math.max(most, store.renewals - before);
      clock.advance(1);
    }
    expect(store.renewals).toBe(2000);
    expect(most).toBeLessThanOrEqual(256);
  });

  it('asks an asynchronous store for few renewals at a time', async () => {
    let [underWay, most, renewals] = [0, 0, 0];
    const clock = new ManualClock();
    class SlowStore extends AsyncStore {
      override async consume(ask: StoreRequest): Promise<StoreResponse> {
        if (!ask.renew) return super.consume(ask);
        underWay += 1;
        renewals += 1;
        most = Math.max(most, underWay);
        await settled();
        underWay -= 1;
        return super.consume(ask);
      }
    }
    const limiter = createLimiter({ limit: concurrency({ limit: 1, lease: LEASE_MS }), store: new SlowStore(clock) });
    for (let i = 0; i < 5000; i += 1) await limiter.reserve(`user ${i}`);
    clock.advance(LEASE_MS / 3);
    for (let steps = 0; steps < 200; steps += 1) {
      await settled();
      clock.advance(1);
    }
    expect(renewals).toBe(5000);
    expect(most).toBeLessThanOrEqual(1024);
    expect((await limiter.peek('user 4999')).allowed).toBe(false);
  });

  it('goes on after very many renewals that the store has failed', async () => {
    let isGone = true;
    class RenewsLater extends AsyncStore {
      override async consume(ask: StoreRequest): Promise<StoreResponse> {
        if (ask.renew && isGone) throw new Error('gone');
        return super.consume(ask);
      }
    }
    const clock = new ManualClock();
    const limiter = createLimiter({ limit: concurrency({ limit: 1, lease: LEASE_MS }), store: new RenewsLater(clock) });
    for (let i = 0; i < 1500; i += 1) await limiter.reserve(`user ${i}`);
    await pass(clock, LEASE_MS / 3, LEASE_MS / 30);
    isGone = false;
    await pass(clock, LEASE_MS, LEASE_MS / 30);
    for (const user of [0, 1499]) expect((await limiter.peek(`user ${user}`)).allowed).toBe(false);
  });

  it('renews slots with different leases, each at its time', async () => {
    const clock = new ManualClock();
    const store = new CountingStore({ clock });
    const leases = ['3s', '9s', '30s', '1m'] as const;
    const limiters = leases.map((lease) =>
      createLimiter({ name: lease, limit: concurrency({ limit: 1, lease }), store }),
    );
    for (const limiter of limiters) limiter.reserve('ann');
    await pass(clock, 180_000, 100);
    expect(limiters.map((limiter) => limiter.peek('ann').allowed)).toEqual(leases.map(() => false));
    // A renewal that is a little early is early by the same time the next time, too.
    const least = 180 + 60 + 18 + 9;
    expect(store.renewals).toBeGreaterThanOrEqual(least - 4);
    expect(store.renewals).toBeLessThanOrEqual(least * 1.05);
  });

  it('makes no timer for each slot where one is held after the other, and leaves none that keeps the process alive', async () => {
    const setTimer = jest.spyOn(globalThis, 'setTimeout');
    const clearTimer = jest.spyOn(globalThis, 'clearTimeout');
    // Timers of this test alone: the process has others, of whoever runs the test.
    const keepAlive = () => {
      const cleared = clearTimer.mock.calls.map(([timer]) => timer);
      const made = setTimer.mock.results.map(({ value }) => value as NodeJS.Timeout);
      return made.filter((timer) => !cleared.includes(timer) && timer.hasRef()).length;
    };
    const store = new MemoryStore();
    const limiter = createLimiter({ limit: concurrency({ limit: 1, lease: '1h' }), store });
    for (let i = 0; i < 100; i += 1) {
      const slot = limiter.reserve('ann');
      await settled();
      expect(keepAlive()).toBe(1);
      slot.settle();
      expect(keepAlive()).toBe(0);
    }
    const made = setTimer.mock.calls.length;
    setTimer.mockRestore();
    clearTimer.mockRestore();
    store.close();
    // A millisecond that ends while a slot is taken can make the next sleep shorter than the first one: then there is another timer.
    expect(made).toBeLessThan(5);
  });
});

/** A store over a network whose renewals arrive later than what is sent after them: it asks for the time first. */
class SlowRenewals extends AsyncStore {
  renewals = 0;

  override async consume(ask: StoreRequest): Promise<StoreResponse> {
    if (ask.renew) {
      this.renewals += 1;
      await settled();
    }
    return super.consume(ask);
  }
}

/** Somebody who holds the only slot, in a store whose renewals take a while. */
async function holding() {
  const clock = new ManualClock();
  const store = new SlowRenewals(clock);
  const limiter = createLimiter({ limit: concurrency({ limit: 1, lease: LEASE_MS }), store });
  return { clock, store, limiter, held: await limiter.reserve('ann') };
}

describe('a renewal that is under way when its slot is released', () => {
  it('does not take the slot again', async () => {
    const { clock, store, limiter, held } = await holding();
    clock.advance(LEASE_MS / 3);
    while (store.renewals === 0) await Promise.resolve();
    await held.release();
    await settled();
    expect((await limiter.peek('ann')).verdicts).toMatchObject([{ remaining: 1 }]);
  });

  it('does not take the slot again when another process has freed it by its charge', async () => {
    const { clock, store, limiter, held } = await holding();
    clock.advance(LEASE_MS / 3);
    while (store.renewals === 0) await Promise.resolve();
    // As another process does it: it knows of no renewal.
    await limiter.correct(chargeOf(held) as Charge, {});
    await settled();
    expect(store.renewals).toBe(1);
    expect((await limiter.peek('ann')).verdicts).toMatchObject([{ remaining: 1 }]);
  });

  it('takes a slot again that the store has lost, while its request runs', async () => {
    const { clock, store, limiter, held } = await holding();
    await limiter.reset('ann');
    clock.advance(LEASE_MS / 3);
    while (store.renewals < 2) await settled();
    await settled();
    expect((await limiter.peek('ann')).verdicts).toMatchObject([{ remaining: 0 }]);
    await held.release();
    expect((await limiter.peek('ann')).verdicts).toMatchObject([{ remaining: 1 }]);
  });
});
