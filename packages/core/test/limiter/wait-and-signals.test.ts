import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { concurrency, createLimiter, type Limiter, leakyBucket, MemoryStore } from '../../src/index.js';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { settled } from './manual-store.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

async function heapUsed(): Promise<number> {
  // What is kept by weak references alone is let go of between turns.
  for (let i = 0; i < 3; i += 1) {
    await settled();
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

const WAITS = 5000;

const PATIENT: Readonly<Record<string, (clock: ManualClock) => (signal: AbortSignal) => Promise<void>>> = {
  'a slot': (clock) => {
    const store = new MemoryStore({ clock });
    const limiter: Limiter<string, false> = createLimiter({ limit: concurrency({ limit: 1, lease: '1h' }), store });
    return async (signal) => {
      const held = limiter.reserve('ann');
      const waiting = limiter.wait('ann', { signal });
      // Its lease is renewed by one sleep, and a second one waits.
      await clock.untilSleeping(2);
      held.settle();
      (await waiting).settle();
    };
  },
  'its turn': (clock) => {
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
};

it.each(Object.entries(PATIENT))(
  'Waiting for %s leaves nothing behind on a signal that outlives it',
  async (_, make) => {
    const wait = make(new ManualClock());
    const { signal } = new AbortController();
    const waitOften = async (): Promise<void> => {
      for (let i = 0; i < WAITS; i += 1) await wait(signal);
    };
    await waitOften();
    const before = await heapUsed();
    await waitOften();
    expect((await heapUsed()) - before).toBeLessThan(WAITS * 20);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  },
);
