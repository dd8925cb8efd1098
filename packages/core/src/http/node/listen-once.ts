import type { EventEmitter } from 'node:events';
import { getOrCreate } from '../../values/get-or-create.js';

const listeners = new WeakMap<EventEmitter, Set<() => void>>();

/**
 * Tells of an event that an emitter has once, its end. There is one listener on it, however many are to be told, such as
 * the requests on a connection. Returns the way to stop.
 *
 * @param event - the same one each time for an emitter.
 */
export function listenOnce(emitter: EventEmitter, event: string, tell: () => void): () => void {
  const told = getOrCreate(listeners, emitter, () => {
    const all = new Set<() => void>();
    // Before all others, who may change what is told about.
    emitter.prependOnceListener(event, () => {
      for (const each of all) each();
    });
    return all;
  });
  told.add(tell);
  return () => told.delete(tell);
}
