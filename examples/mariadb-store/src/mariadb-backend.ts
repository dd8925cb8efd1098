import type { CompareAndSwapBackend, Entry, Snapshot, Swap } from '@sluice/core/store';
import type { Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { deleteExpiredStatement, deleteStatement, readStatement, type Statement, swapStatement } from './statements.js';

/** How often expired rows are deleted. */
const EXPIRE_EVERY_MS = 1000;

/** How many rows are deleted at once: few, since decisions about them wait meanwhile. */
const EXPIRED_AT_ONCE = 200;

/** A swap was not made because another one was faster: a row that is there already, a deadlock, a lock that somebody keeps. */
const LOST_RACES = ['ER_DUP_ENTRY', 'ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_CHECKREAD'];

/** What the client says of a query without an answer. */
const SILENCE = 'PROTOCOL_SEQUENCE_TIMEOUT';

interface Row extends RowDataPacket {
  readonly at_ms: number;
  readonly entry_key: string | null;
  readonly version: string;
  readonly value: string;
  readonly ends_ms: number;
}

interface Made extends RowDataPacket {
  readonly is_made: 0 | 1;
}

/** Keeps entries as rows of a table of MariaDB. A read is one round trip, and so is a swap. */
export class MariadbBackend implements CompareAndSwapBackend {
  readonly #pool: Pool;
  readonly #silenceMs: number;
  #nextExpiryMs = 0;

  /** @param silenceMs - a connection without an answer for so long is given up */
  constructor(pool: Pool, silenceMs: number) {
    this.#pool = pool;
    this.#silenceMs = silenceMs;
  }

  async read(keys: readonly string[]): Promise<Snapshot> {
    const rows = await this.#rows<Row[]>(readStatement(keys));
    const atMs = rows[0]?.at_ms as number;
    const entries = new Map<string | null, Entry>();
    for (const { entry_key, version, value, ends_ms } of rows) {
      entries.set(entry_key, { version, value, forMs: ends_ms - atMs });
    }
    return { atMs, entries: keys.map((key) => entries.get(key)) };
  }

  async swap(swaps: readonly Swap[], notAfterMs: number | undefined): Promise<boolean> {
    const isMade = await this.#hasSwapped(swapStatement(swaps, notAfterMs ?? Number.MAX_SAFE_INTEGER));
    this.#expire();
    return isMade;
  }

  async delete(keys: readonly string[]): Promise<number> {
    return (await this.#rows<ResultSetHeader>(deleteStatement(keys))).affectedRows;
  }

  async #hasSwapped(statement: Statement): Promise<boolean> {
    try {
      // A compound statement has one result for each of its selects, and one for its end.
      const [[row] = []] = await this.#rows<Made[][]>(statement);
      return row?.is_made === 1;
    } catch (error) {
      if (LOST_RACES.includes(codeOf(error))) return false;
      throw error;
    }
  }

  async #rows<T extends RowDataPacket[] | RowDataPacket[][] | ResultSetHeader>([sql, values]: Statement): Promise<T> {
    const connection = await this.#pool.getConnection();
    try {
      const [rows] = await connection.query<T>({ sql, values, timeout: this.#silenceMs });
      connection.release();
      return rows;
    } catch (error) {
      // The pool would keep a connection whose answer never comes, and soon have no other.
      if (codeOf(error) === SILENCE) connection.destroy();
      else connection.release();
      throw error;
    }
  }

  /** Deletes some expired rows now and then, beside a decision. There is no timer. */
  #expire(): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextExpiryMs) return;
    this.#nextExpiryMs = nowMs + EXPIRE_EVERY_MS;
    // If this fails, decisions fail as well, and they report it.
    this.#rows<ResultSetHeader>(deleteExpiredStatement(EXPIRED_AT_ONCE)).then(
      ({ affectedRows }) => {
        if (affectedRows === EXPIRED_AT_ONCE) this.#nextExpiryMs = 0;
      },
      () => {},
    );
  }
}

const codeOf = (error: unknown): string => (error as { readonly code?: string }).code ?? '';
