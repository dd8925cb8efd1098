import { systemClock } from '@sluice/core';
import type { CompareAndSwapBackend, Entry, Snapshot, Swap } from '@sluice/core/store';
import type { PostgresClient, QueryResult } from './postgres-client.js';
import { explained, isLostRace } from './postgres-error.js';
import type { Statement, Statements } from './statements.js';

/** How often expired rows are deleted. If one batch was not enough, the next follows sooner. */
const EXPIRE_EVERY_MS = 1000;

/** How many expired rows are deleted in one batch. */
export const EXPIRED_AT_ONCE = 1000;

/** A connection without a reply for this long is given up, even if the deadlines are shorter. */
const LEAST_QUERY_TIMEOUT_MS = 1000;

/** So often rows are deleted again if other transactions have changed them meanwhile, which only stricter isolation levels mind. */
const MOST_TRIES = 50;

/** The options of the backend. */
interface BackendOptions {
  readonly client: PostgresClient;
  readonly table: string;
  readonly statements: Statements;
  readonly timeoutMs: number;
  readonly isDurable: boolean;
  readonly isPrepared: boolean;
}

/** Keeps entries as rows of a table. A read is one statement, and so is a swap. */
export class PostgresBackend implements CompareAndSwapBackend {
  readonly #options: BackendOptions;
  /**
   * The parameters of every statement that writes: how long it may wait for locks, and whether it waits for the disk.
   */
  readonly #settings: readonly [lockTimeout: string, synchronousCommit: string];
  #nextExpiryMs = 0;
  #isExpiring = false;

  constructor(options: BackendOptions) {
    this.#options = options;
    this.#settings = [`${options.timeoutMs}ms`, options.isDurable ? 'on' : 'off'];
  }

  async read(keys: readonly string[]): Promise<Snapshot> {
    const { rows } = await this.#query(this.#options.statements.read, [keys]);
    const entries = new Map<unknown, Entry>();
    for (const { key, version, value, for_ms } of rows) {
      entries.set(key, { version: String(version), value: String(value), forMs: Number(for_ms) });
    }
    return { atMs: Number(rows[0]?.at), entries: keys.map((key) => entries.get(key)) };
  }

  async swap(swaps: readonly Swap[], notAfterMs: number | undefined): Promise<boolean> {
    const isMade = await this.#swapAll(swaps, notAfterMs ?? null);
    this.#expire();
    return isMade;
  }

  delete(keys: readonly string[]): Promise<number> {
    return this.#delete(this.#options.statements.delete, [keys]);
  }

  deleteExpired(most: number): Promise<number> {
    return this.#delete(this.#options.statements.deleteExpired, [most]);
  }

  /** Nothing that was read before depends on a row that is deleted. So a lost race is run again. */
  async #delete(statement: Statement, values: unknown[]): Promise<number> {
    for (let tries = 1; ; tries += 1) {
      try {
        return (await this.#query(statement, values)).rowCount ?? 0;
      } catch (error) {
        if (tries === MOST_TRIES || !isLostRace(error)) throw error;
      }
    }
  }

  async #query({ name, text }: Statement, values: unknown[]): Promise<QueryResult> {
    const { client, table, isPrepared, timeoutMs } = this.#options;
    const query_timeout = Math.max(LEAST_QUERY_TIMEOUT_MS, 2 * timeoutMs);
    try {
      return await client.query({ text, values, query_timeout, ...(isPrepared && { name }) });
    } catch (error) {
      throw explained(error, table);
    }
  }

  async #swapAll(swaps: readonly Swap[], notAfterMs: number | null): Promise<boolean> {
    const [first] = swaps;
    try {
      if (first && swaps.length === 1) return await this.#swapOne(first, notAfterMs);
      const { rows } = await this.#query(this.#options.statements.swap, [
        swaps.map(({ key }) => key),
        swaps.map(({ was }) => was ?? null),
        swaps.map(({ next }) => next?.version ?? null),
        swaps.map(({ next }) => next?.value ?? null),
        swaps.map(({ next }) => next?.forMs ?? null),
        notAfterMs,
        ...this.#settings,
      ]);
      return rows[0]?.is_made === 'yes';
    } catch (error) {
      if (isLostRace(error)) return false;
      throw error;
    }
  }

  async #swapOne({ key, was, next }: Swap, notAfterMs: number | null): Promise<boolean> {
    const { add, change, remove } = this.#options.statements;
    if (!next) return this.#hasChanged(remove, [key, was, notAfterMs, ...this.#settings]);
    const values = [key, next.version, next.value, next.forMs, notAfterMs, ...this.#settings];
    return was === undefined ? this.#hasChanged(add, values) : this.#hasChanged(change, [...values, was]);
  }

  async #hasChanged(statement: Statement, values: unknown[]): Promise<boolean> {
    return (await this.#query(statement, values)).rowCount === 1;
  }

  /** Deletes a batch of expired rows now and then, in parallel to a decision. There is no timer. */
  #expire(): void {
    const nowMs = systemClock.now();
    if (this.#isExpiring || nowMs < this.#nextExpiryMs) return;
    this.#isExpiring = true;
    const rest = (deleted: number): void => {
      this.#isExpiring = false;
      // If one batch was not enough, the next follows with the next decision.
      this.#nextExpiryMs = deleted < EXPIRED_AT_ONCE ? systemClock.now() + EXPIRE_EVERY_MS : 0;
    };
    // If this fails, decisions fail as well, and they report it.
    this.deleteExpired(EXPIRED_AT_ONCE).then(rest, () => rest(0));
  }
}
