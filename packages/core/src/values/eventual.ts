/**
 * A value, or a promise of it: what a store or a user's function gave. What the functions below return is a native
 * promise if it is one.
 */
export type Eventual<T> = T | PromiseLike<T>;

/** Whether it has to be awaited. */
export function isPromise<T>(value: Eventual<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | undefined)?.then === 'function';
}

/** Goes on with a value: at once if it is there, so that nothing is awaited without need. */
export function whenReady<T, R>(value: Eventual<T>, next: (value: T) => Eventual<R>): Eventual<R> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/** All of them: at once if they all are there. */
export function allReady<T>(values: readonly Eventual<T>[]): Eventual<readonly T[]> {
  return values.some(isPromise) ? Promise.all(values) : (values as readonly T[]);
}

/**
 * Maps one after the other: at once while the results are there. In order, so that when one fails none is under way
 * that nobody waits for. What the mapping needs besides a value, `a` and `b`, is handed through, so that no closure has
 * to hold it.
 */
export function mapInOrder<T, R, A, B>(
  values: readonly T[],
  map: (value: T, a: A, b: B) => Eventual<R>,
  a: A,
  b: B,
): Eventual<readonly R[]> {
  const results = new Array<R>(values.length);
  for (let i = 0; i < values.length; i += 1) {
    const result = map(values[i] as T, a, b);
    if (isPromise(result)) return mapLater(values, map, a, b, results, i, result);
    results[i] = result;
  }
  return results;
}

/** The rest of `mapInOrder` from the first promise on. */
async function mapLater<T, R, A, B>(
  values: readonly T[],
  map: (value: T, a: A, b: B) => Eventual<R>,
  a: A,
  b: B,
  results: R[],
  from: number,
  first: PromiseLike<R>,
): Promise<readonly R[]> {
  results[from] = await first;
  for (let i = from + 1; i < values.length; i += 1) results[i] = await map(values[i] as T, a, b);
  return results;
}

/** Goes on after a failure, whether it was thrown or rejected. */
export function recover<T>(attempt: () => Eventual<T>, fallback: (error: unknown) => Eventual<T>): Eventual<T> {
  let result: Eventual<T>;
  try {
    result = attempt();
  } catch (error) {
    return fallback(error);
  }
  return isPromise(result) ? Promise.resolve(result).then(undefined, fallback) : result;
}

/**
 * The function, answering in a store's own way: over an asynchronous one everything is a promise, mistakes included;
 * over another everything is given as it comes.
 */
export function answering<P extends readonly unknown[], T>(
  isAsync: boolean,
  run: (...params: P) => Eventual<T>,
): (...params: P) => Eventual<T> {
  if (!isAsync) return run;
  return (...params) => {
    try {
      return Promise.resolve(run(...params));
    } catch (error) {
      return Promise.reject(error);
    }
  };
}
