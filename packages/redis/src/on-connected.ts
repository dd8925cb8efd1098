import type { RedisDriver } from './redis-driver.js';

/** The listeners of each client, which has one listener for all of them: Node warns about more than ten. */
const listening = new WeakMap<RedisDriver, Set<() => void>>();

/** Calls `listener` each time the client has connected, and at once if it is connected. Returns a function that ends that. */
export function onConnected(driver: RedisDriver, listener: () => void): () => void {
  const listeners = listenersOf(driver);
  listeners.add(listener);
  if (driver.status === 'ready') listener();
  return () => listeners.delete(listener);
}

function listenersOf(driver: RedisDriver): Set<() => void> {
  const known = listening.get(driver);
  if (known) return known;
  const listeners = new Set<() => void>();
  listening.set(driver, listeners);
  driver.onReady?.(() => {
    for (const listener of listeners) listener();
  });
  return listeners;
}
