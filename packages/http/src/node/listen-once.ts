import type { EventEmitter } from 'node:events';
import { getOrCreate } from '@sluice/core/src/values/get-or-create';

const listeners = new WeakMap<EventEmitter, Set<() => void>>();

/**
 * Calls `notify` at an event that an emitter has once, its end. However many callers listen, such as the requests of a
 * connection, the emitter has one listener. Returns a function that stops it.
 *
 * @param event - always the same one for an emitter
 */
export function listenOnce(emitter: EventEmitter, event: string, notify: () => void): () => void {
  const callbacks = getOrCreate(listeners, emitter, () => {
    const all = new Set<() => void>();
    // Before all other listeners, which may change what is reported.
    emitter.prependOnceListener(event, () => {
      for (const each of all) each();
    });
    return all;
  });
  callbacks.add(notify);
  return () => callbacks.delete(notify);
}
