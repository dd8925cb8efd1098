import type { Eventual } from '@sluice/core/values';

/** Returns the same, typed as callbacks of policies return it: a promise that `whenReady` has made is a native one. */
export function asNative<T>(eventual: Eventual<T>): T | Promise<T> {
  return eventual as T | Promise<T>;
}
