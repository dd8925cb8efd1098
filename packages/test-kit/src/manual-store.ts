import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { closedAfterTest } from './closed-after-test.js';

/** A memory store whose time stands still until the test moves it. */
export function manualStore(): { readonly clock: ManualClock; readonly store: MemoryStore } {
  const clock = new ManualClock();
  return { clock, store: closedAfterTest(new MemoryStore({ clock })) };
}

/** Lets everything run that waits only for its turn. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Watches a clock: the lengths of current sleeps that began, or were renewed, from now on. */
export function sleepsOf(clock: ManualClock): () => number[] {
  const sleeps = new Set<{ readonly ms: number }>();
  const sleep = clock.sleep.bind(clock);
  clock.sleep = (ms, signal) => {
    const one = { ms };
    sleeps.add(one);
    signal?.addEventListener('abort', () => sleeps.delete(one));
    return sleep(ms, signal).finally(() => sleeps.delete(one));
  };
  return () => [...sleeps].map(({ ms }) => ms);
}

/** Collects the times at which sleeps that begin from now on are over. */
export function wakesOf(clock: ManualClock): ReadonlySet<number> {
  const wakes = new Set<number>();
  const sleep = clock.sleep.bind(clock);
  clock.sleep = (ms, signal) => {
    wakes.add(clock.now() + ms);
    return sleep(ms, signal);
  };
  return wakes;
}
