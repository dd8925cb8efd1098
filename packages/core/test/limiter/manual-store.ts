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
