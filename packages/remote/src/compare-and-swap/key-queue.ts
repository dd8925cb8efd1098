// Why it is so: core/docs/why/other-databases.md

import type { OpenEntries } from './open-entries.js';
import type { Operation } from './operations.js';

/** An operation with a caller that waits for it. */
export interface Waiting extends Pick<Operation, 'keys' | 'notAfterMs'> {
  /**
   * Runs the operation, and returns a function that reports the result to the caller. An operation that fails, for
   * example because it is too late, does not affect the others.
   */
  attempt(entries: OpenEntries): () => void;
  fail(error: unknown): void;
}

/**
 * The most operations of one batch. It bounds what one attempt reads and writes, and how many operations fail together.
 */
const MOST_AT_ONCE = 100;

/**
 * Prevents conflicts between operations of this process. While a batch runs, other operations on its keys wait. They
 * then run together, on one read. A popular key therefore costs one read and one write for very many operations.
 *
 * Operations on other keys wait only while the largest number of batches is running. They then run together, too.
 */
export class KeyQueue {
  readonly #mostBatches: number;
  readonly #run: (batch: readonly Waiting[]) => Promise<void>;
  /** The operations that wait for a key, by the keys of the running batches. */
  readonly #waitingFor = new Map<string, Waiting[]>();
  /** The operations that wait for any batch to end. */
  #waiting: Waiting[] = [];
  readonly #underWay = new Set<Promise<void>>();

  /**
   * @param mostBatches - the most batches that run at the same time
   * @param run - must never reject
   */
  constructor(mostBatches: number, run: (batch: readonly Waiting[]) => Promise<void>) {
    this.#mostBatches = mostBatches;
    this.#run = run;
  }

  add<T>(operation: Operation<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#admit([waitingFor(operation, resolve, reject)]);
    });
  }

  /** Resolves when no batch is running any more. */
  async ended(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Starts the operations that need not wait, in batches. */
  #admit(all: readonly Waiting[]): void {
    let next = 0;
    while (next < all.length && this.#underWay.size < this.#mostBatches) {
      const batch: Waiting[] = [];
      for (; next < all.length && batch.length < MOST_AT_ONCE; next += 1) {
        const waiting = all[next] as Waiting;
        const queue = this.#queueBefore(waiting);
        if (queue) queue.push(waiting);
        else batch.push(waiting);
      }
      if (batch.length > 0) this.#start(batch);
    }
    for (; next < all.length; next += 1) this.#waiting.push(all[next] as Waiting);
  }

  #start(batch: readonly Waiting[]): void {
    const keys = new Set(batch.flatMap((waiting) => waiting.keys));
    for (const key of keys) this.#waitingFor.set(key, []);
    const run = this.#run(batch).then(() => {
      this.#underWay.delete(run);
      this.#release(keys);
    });
    this.#underWay.add(run);
  }

  #release(keys: ReadonlySet<string>): void {
    const next = this.#waiting;
    this.#waiting = [];
    for (const key of keys) {
      for (const waiting of this.#waitingFor.get(key) ?? []) next.push(waiting);
      this.#waitingFor.delete(key);
    }
    this.#admit(next);
  }

  #queueBefore({ keys }: Waiting): Waiting[] | undefined {
    for (const key of keys) {
      const queue = this.#waitingFor.get(key);
      if (queue) return queue;
    }
    return undefined;
  }
}

function waitingFor<T>(
  operation: Operation<T>,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): Waiting {
  return {
    keys: operation.keys,
    notAfterMs: operation.notAfterMs,
    attempt(entries) {
      try {
        const result = operation.run(entries);
        return () => resolve(result);
      } catch (error) {
        return () => reject(error);
      }
    },
    fail: reject,
  };
}
