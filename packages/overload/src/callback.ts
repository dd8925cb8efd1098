import { isPromise } from '@sluice/core/src/values/eventual';
import { warnOfHook } from '@sluice/core/src/values/warning';

type Args = readonly unknown[];

/**
 * Returns a callback of the user that always returns a value, and at once. If it throws, or returns a promise, the value
 * is `otherwise`, and a process warning is given once.
 *
 * @param options - the options that have the callback under this name
 * @param consequence - what `otherwise` means, for the warning
 */
export function callbackOf<A extends Args, R>(
  options: object,
  name: string,
  callback: (...args: A) => R,
  otherwise: R,
  consequence: string,
): (args: A) => R {
  const fail = (error: unknown): R => {
    warnOfHook(options, `${name} of shedLoad`, consequence, error);
    return otherwise;
  };
  return (args) => {
    try {
      const answer = callback(...args);
      if (!isPromise(answer)) return answer;
      // The warning says that there was a promise. Its own failure would end the process.
      Promise.resolve(answer).catch(() => {});
      return fail(new TypeError(`${name} returned a promise. It has to return at once`));
    } catch (error) {
      return fail(error);
    }
  };
}
