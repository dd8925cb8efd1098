import { expect, it } from '@jest/globals';
import { concurrency, createLimiter, type Limiter, leakyBucket, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { CHANGES, keptBytes, MOST_KEPT_BYTES } from '@sluice/test-kit/kept-bytes';

/** Waits for something once and gets it. */
type Wait = (signal: AbortSignal) => Promise<void>;

/** Waits behind a first request for what a second brings. */
function inTime(clock: ManualClock, limiter: Limiter): Wait {
  return async (signal) => {
    limiter.consume('ann');
    const waiting = limiter.wait('ann', { signal });
    await clock.untilSleeping(1);
    clock.advance('1s');
    await waiting;
    // The next wait begins with nothing used.
    clock.advance('1m');
  };
}

/** Where a wait ends, by what it waits for. Each makes it anew with its own store. */
const WAITS: Readonly<Record<string, (clock: ManualClock, store: MemoryStore) => Wait>> = {
  slot: (clock, store) => {
    const limiter = createLimiter({ limit: concurrency({ limit: 1, lease: '1m' }), store });
    return async (signal) => {
      const held = limiter.reserve('ann');
      const waiting = limiter.wait('ann', { signal });
      // One sleep renews the lease, another one waits for the slot.
      await clock.untilSleeping(2);
      held.settle();
      (await waiting).settle();
      // The store remembers for one lease that a slot was freed.
      clock.advance('1m');
    };
  },
  turn: (clock, store) => inTime(clock, createLimiter({ limit: leakyBucket({ capacity: 2, leakRate: 1 }), store })),
  room: (clock, store) => inTime(clock, createLimiter({ limit: 1, window: '1s', store })),
};

// A listener that a wait leaves behind takes more than 130 bytes, so a round of them more than may be kept.
it.each(Object.entries(WAITS))(
  `${CHANGES} waits for a %s with a signal that outlives them keep at most 100 KB`,
  async (_what, waitFor) => {
    const clock = new ManualClock();
    const wait = waitFor(clock, closedAfterTest(new MemoryStore({ clock })));
    const { signal } = new AbortController();
    expect(await keptBytes(() => () => wait(signal))).toBeLessThanOrEqual(MOST_KEPT_BYTES);
  },
  60_000,
);
