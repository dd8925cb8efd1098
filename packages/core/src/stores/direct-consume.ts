import { type Eventual, isPromise } from '../values/eventual.js';
import { passOn, promiseOf, type Receiver } from '../values/receiver.js';
import type { Ask, DirectConsume, Reply, Store } from './store.js';

/** Returns the direct form of a store's `consume`, for any store. It always calls the `consume` that the store has then. */
export function directConsumeOf(store: Store): DirectConsume {
  const { consume } = store;
  const direct = store.directConsume?.();
  if (!direct) return { known: () => undefined, ask: (ask, receiver) => consumeFor(store, ask, receiver) };
  return {
    known: (ask) => (store.consume === consume ? direct.known(ask) : undefined),
    ask: (ask, receiver) => (store.consume === consume ? direct.ask(ask, receiver) : consumeFor(store, ask, receiver)),
  };
}

function consumeFor(store: Store, ask: Ask, receiver: Receiver<Reply>): void {
  let reply: Eventual<Reply>;
  try {
    reply = store.consume(ask);
  } catch (error) {
    receiver.reject(error);
    return;
  }
  if (isPromise(reply)) passOn(reply, receiver);
  else receiver.resolve(reply);
}

/** Returns the promise of a decision that is made directly. */
export function promiseOfReply(direct: DirectConsume, ask: Ask): Promise<Reply> {
  const known = direct.known(ask);
  return known ? Promise.resolve(known) : promiseOf((receiver) => direct.ask(ask, receiver));
}
