import { isPromise } from '../values/eventual.js';
import { passOn, type Receiver } from '../values/receiver.js';
import type { Ask, DirectConsume, Reply, Store } from './store.js';

/** Returns the direct form of a store's `consume`, for any store. It always calls the `consume` that the store has then. */
export function directConsumeOf(store: Store): DirectConsume {
  const { consume } = store;
  const direct = store.directConsume?.();
  return (ask, receiver) =>
    direct !== undefined && store.consume === consume ? direct(ask, receiver) : consumeFor(store, ask, receiver);
}

function consumeFor(store: Store, ask: Ask, receiver: Receiver<Reply>): Reply | undefined {
  try {
    const reply = store.consume(ask);
    if (!isPromise(reply)) return reply;
    passOn(reply, receiver);
  } catch (error) {
    receiver.reject(error);
  }
  return undefined;
}
