/** Gets the result of one call. The caller calls one of the two methods, once; neither of them throws. */
export interface Receiver<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** Returns a promise of the result of a call that takes a receiver. */
export function promiseOf<T>(call: (receiver: Receiver<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => call({ resolve, reject }));
}

/** Passes the result of a promise to a receiver. */
export function passOn<T>(promise: PromiseLike<T>, receiver: Receiver<T>): void {
  promise.then(
    (value) => receiver.resolve(value),
    (error) => receiver.reject(error),
  );
}
