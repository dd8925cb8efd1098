// Why it is so: docs/why/verdicts.md

import { type Eventual, isPromise } from './eventual.js';

/** Gets the result of one call. The caller calls one of the two methods, once; neither of them throws. */
export interface Receiver<T> {
  /** Takes the value. */
  resolve(value: T): void;
  /** Takes the error. */
  reject(error: unknown): void;
}

/**
 * A result that comes later, for a store that sends many requests in one call: return one for each, and call `resolve` or
 * `reject` once; a further call changes nothing. It can be awaited like a promise. `passOn` takes the result without making a
 * promise, and without a turn in between. An error that nobody asks for is not reported.
 */
export class Deferred<T> implements PromiseLike<T>, Receiver<T> {
  #state: 'pending' | 'resolved' | 'rejected' = 'pending';
  /** The value or the error, when it is there. */
  #result: unknown;
  #receiver: Receiver<T> | undefined;
  /** Made for the first caller that awaits it. */
  #promise: Promise<T> | undefined;

  /** Gives the value to whoever waits for it. Call this or `reject`, once. */
  resolve(value: T): void {
    if (this.#state !== 'pending') return;
    this.#state = 'resolved';
    this.#result = value;
    this.#receiver?.resolve(value);
  }

  /** Gives the error to whoever waits for it. Call this or `resolve`, once. */
  reject(error: unknown): void {
    if (this.#state !== 'pending') return;
    this.#state = 'rejected';
    this.#result = error;
    this.#receiver?.reject(error);
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited like a promise.
  then<Resolved = T, Rejected = never>(
    onResolved?: ((value: T) => Resolved | PromiseLike<Resolved>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Resolved | Rejected> {
    this.#promise ??= promiseOf((receiver) => Deferred.passOn(this, receiver));
    return this.#promise.then(onResolved, onRejected);
  }

  /** See `passOn`. It is here because it reads the state. */
  static passOn<T>(result: Eventual<T>, receiver: Receiver<T>): void {
    if (!(result instanceof Deferred)) passOther(result, receiver);
    else if (result.#state === 'resolved') receiver.resolve(result.#result as T);
    else if (result.#state === 'rejected') receiver.reject(result.#result);
    else result.#receiver = result.#receiver ? bothOf(result.#receiver, receiver) : receiver;
  }
}

/** Passes a result to a receiver: now if it is there, else as soon as it is. */
export const passOn = Deferred.passOn;

function bothOf<T>(first: Receiver<T>, second: Receiver<T>): Receiver<T> {
  return {
    resolve: (value) => {
      first.resolve(value);
      second.resolve(value);
    },
    reject: (error) => {
      first.reject(error);
      second.reject(error);
    },
  };
}

/** Returns a promise of the result of a call that takes a receiver. */
export function promiseOf<T>(call: (receiver: Receiver<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => call({ resolve, reject }));
}

function passOther<T>(result: Eventual<T>, receiver: Receiver<T>): void {
  if (!isPromise(result)) {
    receiver.resolve(result);
    return;
  }
  // A promise stays as it is. Anything else that can be awaited may throw, call back twice, or come to another promise.
  Promise.resolve(result).then(
    (value) => receiver.resolve(value),
    (error) => receiver.reject(error),
  );
}
