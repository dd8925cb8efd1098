// Why it is so: docs/why/verdicts.md

/**
 * A value, or a promise of it, as a store or a user's function returns it. If a function below returns a promise, it is
 * a native one.
 */
export type Eventual<T> = T | PromiseLike<T>;

/** Whether the value has to be awaited. */
export function isPromise<T>(value: Eventual<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === 'function';
}

/** Passes a value to `next`: at once if it is no promise, so that nothing is awaited without need. */
export function whenReady<T, R>(value: Eventual<T>, next: (value: T) => Eventual<R>): Eventual<R> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Returns all values: at once if none of them is a promise. */
export function allReady<T>(values: readonly Eventual<T>[]): Eventual<readonly T[]> {
  return values.some(isPromise) ? Promise.all(values) : (values as readonly T[]);
}

/**
 * Maps the values one after the other, at once as long as the results are no promises. Because of the order, a failure
 * leaves no other call running. The mapping gets `a` and `b` as parameters, so that it needs no closure.
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

/** The rest of `mapInOrder`, from the first promise on. */
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

/** Calls `fallback` if `attempt` throws or rejects. */
export function recover<T>(attempt: () => Eventual<T>, fallback: (error: unknown) => Eventual<T>): Eventual<T> {
  let result: Eventual<T>;
  try {
    result = attempt();
  } catch (error) {
    return fallback(error);
  }
  return isPromise(result) ? Promise.resolve(result).then(undefined, fallback) : result;
}

/** Passes the result of `attempt` to `done` when it is there, or what it throws or rejects with to `failed`. */
export function whenSettled<T>(
  attempt: () => Eventual<T>,
  done: (value: T) => void,
  failed: (error: unknown) => void,
): void {
  let result: Eventual<T>;
  try {
    result = attempt();
  } catch (error) {
    failed(error);
    return;
  }
  if (isPromise(result)) void Promise.resolve(result).then(done, failed);
  else done(result);
}

/**
 * Returns `run` in the style of a store. For an asynchronous store the result is always a promise, and errors are
 * rejections. For a synchronous store `run` stays as it is.
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
