import type { OpenEntries } from './open-entries.js';
import type { Operation } from './operations.js';

/** An operation that somebody waits for. */
export interface Waiting extends Pick<Operation, 'keys' | 'notAfterMs'> {
  /** Runs it, and returns how to tell what came of it. An operation that fails, being too late, fails alone. */
  attempt(entries: OpenEntries): () => void;
  fail(error: unknown): void;
}

/** Bounds how much one attempt reads and writes, and how many wait for one that fails. */
const MOST_AT_ONCE = 100;

/**
 * Keeps operations of this process from racing each other: while some are under way, others about the same keys wait, and
 * then run together, on what one read has found. So a key that everybody asks about costs a read and a write for very
 * many of them, not for each. Those about other keys wait only if enough batches are under way, and then run together, too.
 */
export class KeyQueue {
  readonly #mostBatches: number;
  readonly #run: (batch: readonly Waiting[]) => Promise<void>;
  /** Who waits for a key, by each key that is under way. */
  readonly #waitingFor = new Map<string, Waiting[]>();
  /** Who waits for a batch to end. */
  #waiting: Waiting[] = [];
  readonly #underWay = new Set<Promise<void>>();

  /**
   * @param mostBatches - that run at once
   * @param run - never rejects
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

  /** Resolves when nothing is under way any more. */
  async ended(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Starts those that need not wait, together. */
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
