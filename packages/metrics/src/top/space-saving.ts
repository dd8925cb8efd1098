// Why it is so: core/docs/why/metrics.md

/** What a sketch knows about a value: it was added at least `count - maxError` times, and at most `count` times. */
interface Estimate<T> {
  readonly value: T;
  readonly count: number;
  readonly maxError: number;
}

interface Counter<T> {
  id: string;
  value: T;
  maxError: number;
  bucket: Bucket<T>;
  /** The neighbours in the bucket. */
  older: Counter<T> | undefined;
  newer: Counter<T> | undefined;
}

/**
 * All counters with one count, linked by their age: a `Set` takes longer to find its first one the more were removed before
 * it. Buckets are linked in the order of their counts.
 */
interface Bucket<T> {
  readonly count: number;
  oldest: Counter<T> | undefined;
  newest: Counter<T> | undefined;
  less: Bucket<T> | undefined;
  more: Bucket<T> | undefined;
}

/**
 * Finds the values that are added most often, with a fixed number of counters: the Space-Saving algorithm on its
 * stream-summary (Metwally, Agrawal and El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data Streams",
 * 2005). A value without a counter takes over the smallest one.
 *
 * - The counts add up to the number of additions, so the smallest is at most `total / size`.
 * - A count is never too small. It is too large by at most `maxError`, which is at most `total / size`.
 * - Every value that was added more than `total / size` times is there.
 *
 * An addition takes constant time, whatever is added.
 */
export class SpaceSaving<T> {
  readonly #size: number;
  readonly #counters = new Map<string, Counter<T>>();
  #least: Bucket<T> | undefined;
  #total = 0;

  /** @param size - the number of counters, at least 1 */
  constructor(size: number) {
    this.#size = size;
  }

  /** How many additions there were. */
  get total(): number {
    return this.#total;
  }

  /**
   * Adds a value once.
   *
   * @param id - equal for equal values
   */
  add(id: string, value: () => T): void {
    this.#total += 1;
    const counter = this.#counters.get(id);
    if (counter) this.#increment(counter);
    else if (this.#counters.size < this.#size) this.#begin(id, value());
    else this.#takeOver(this.#least as Bucket<T>, id, value());
  }

  /** Returns all counters, the largest first. */
  estimates(): readonly Estimate<T>[] {
    const estimates = [...this.#counters.values()].map(({ value, maxError, bucket: { count } }) => ({
      value,
      count,
      maxError,
    }));
    return estimates.sort((a, b) => b.count - a.count || a.maxError - b.maxError);
  }

  clear(): void {
    this.#counters.clear();
    this.#least = undefined;
    this.#total = 0;
  }

  #begin(id: string, value: T): void {
    const isFirst = this.#least?.count === 1;
    const bucket = isFirst ? (this.#least as Bucket<T>) : this.#insert(1, undefined);
    const counter: Counter<T> = { id, value, maxError: 0, bucket, older: undefined, newer: undefined };
    enter(bucket, counter);
    this.#counters.set(id, counter);
  }

  /** The oldest of the smallest counters goes on with another value. It may have been added as often before. */
  #takeOver(least: Bucket<T>, id: string, value: T): void {
    const counter = least.oldest as Counter<T>;
    this.#counters.delete(counter.id);
    this.#counters.set(id, counter);
    counter.id = id;
    counter.value = value;
    counter.maxError = least.count;
    this.#increment(counter);
  }

  #increment(counter: Counter<T>): void {
    const { bucket } = counter;
    const count = bucket.count + 1;
    const next = bucket.more?.count === count ? bucket.more : this.#insert(count, bucket);
    leave(bucket, counter);
    enter(next, counter);
    if (bucket.oldest === undefined) this.#remove(bucket);
  }

  /** Inserts a bucket behind another one; without one, as the least. */
  #insert(count: number, less: Bucket<T> | undefined): Bucket<T> {
    const more = less ? less.more : this.#least;
    const bucket: Bucket<T> = { count, oldest: undefined, newest: undefined, less, more };
    if (more) more.less = bucket;
    if (less) less.more = bucket;
    else this.#least = bucket;
    return bucket;
  }

  #remove({ less, more }: Bucket<T>): void {
    if (more) more.less = less;
    if (less) less.more = more;
    else this.#least = more;
  }
}

/** Makes a counter the newest of a bucket. */
function enter<T>(bucket: Bucket<T>, counter: Counter<T>): void {
  const { newest } = bucket;
  counter.bucket = bucket;
  counter.older = newest;
  counter.newer = undefined;
  if (newest) newest.newer = counter;
  else bucket.oldest = counter;
  bucket.newest = counter;
}

function leave<T>(bucket: Bucket<T>, { older, newer }: Counter<T>): void {
  if (older) older.newer = newer;
  else bucket.oldest = newer;
  if (newer) newer.older = older;
  else bucket.newest = older;
}
