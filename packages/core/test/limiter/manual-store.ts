import { MemoryStore } from '../../src/index.js';
import { ManualClock } from '../../src/testing/manual-clock.js';

/** A memory store whose time stands until the test moves it. */
export function manualStore(): { readonly clock: ManualClock; readonly store: MemoryStore } {
  const clock = new ManualClock();
  return { clock, store: new MemoryStore({ clock }) };
}

/** Lets everything run that waits for nothing but its turn. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Watches a clock: the lengths of the sleeps that are under way, of those begun from now on or renewed. */
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
