import type { RedisClient } from './redis-client.js';

/** The listeners of each client, which has one listener for all of them: Node warns about more than ten. */
const listening = new WeakMap<RedisClient, Set<() => void>>();

/** Calls `listener` each time the client has connected, and at once if it is connected. Returns a function that ends that. */
export function onConnected(client: RedisClient, listener: () => void): () => void {
  const listeners = listenersOf(client);
  listeners.add(listener);
  if (client.status === 'ready') listener();
  return () => listeners.delete(listener);
}

function listenersOf(client: RedisClient): Set<() => void> {
  const known = listening.get(client);
  if (known) return known;
  const listeners = new Set<() => void>();
  listening.set(client, listeners);
  client.on?.('ready', () => {
    for (const listener of listeners) listener();
  });
  return listeners;
}
