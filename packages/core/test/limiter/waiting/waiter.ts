import { concurrency, createLimiter, leakyBucket, MemoryStore } from '@sluice/core';
import { ManualClock } from '../../../src/testing/manual-clock.js';

const WAITS = 300;

/** Waits for something and gets it, again and again, with one signal that outlives all waits. */
const WAITERS: Readonly<Record<string, (clock: ManualClock) => (signal: AbortSignal) => Promise<void>>> = {
  slot: (clock) => {
    const limit = concurrency({ limit: 1, lease: '1m' });
    const limiter = createLimiter({ limit, store: new MemoryStore({ clock }) });
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
  turn: (clock) => {
    const limit = leakyBucket({ capacity: 2, leakRate: 1 });
    const limiter = createLimiter({ limit, store: new MemoryStore({ clock }) });
    return async (signal) => {
      limiter.consume('ann');
      const waiting = limiter.wait('ann', { signal });
      await clock.untilSleeping(1);
      clock.advance('10s');
      await waiting;
    };
  },
  room: (clock) => {
    const limiter = createLimiter({ limit: 1, window: '1s', store: new MemoryStore({ clock }) });
    return async (signal) => {
      limiter.consume('ann');
      const waiting = limiter.wait('ann', { signal });
      await clock.untilSleeping(1);
      clock.advance('1s');
      await waiting;
      clock.advance('1m');
    };
  },
};

async function heapUsed(): Promise<number> {
  // Objects that only weak references keep are released between turns.
  for (let i = 0; i < 3; i += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

/** Prints how many bytes each wait leaves behind. */
async function main(what: string): Promise<void> {
  const wait = WAITERS[what]?.(new ManualClock());
  if (!wait) throw new Error(`nobody waits for ${what}`);
  const { signal } = new AbortController();
  const waitOften = async (): Promise<void> => {
    for (let i = 0; i < WAITS; i += 1) await wait(signal);
  };
  await waitOften();
  const growths: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const before = await heapUsed();
    await waitOften();
    growths.push((await heapUsed()) - before);
  }
  // Memory of the engine comes in one round and goes in another. Memory of a wait would come in each.
  growths.sort((a, b) => a - b);
  process.stdout.write(String((growths[1] as number) / WAITS));
}

void main(process.argv[2] ?? '');
