import { SluiceError, systemClock, wallClock } from '@sluice/core';
import type { CompareAndSwapBackend, Entry, Snapshot, Swap } from '@sluice/core/store';
import { type OpenSqlite, type SqliteStatement, sqliteDriver } from './sqlite-driver.js';
import { explained, isBusy, isOldSnapshot } from './sqlite-error.js';
import { type Row, SqliteFile, type SqliteFileOptions } from './sqlite-file.js';

/** How often expired rows are deleted. If one batch was not enough, the next follows with the next write. */
const EXPIRE_EVERY_MS = 1000;

/** How many expired rows are deleted in one batch: the event loop waits for them for a fraction of a millisecond. */
export const EXPIRED_AT_ONCE = 100;

/** How often it is seen whether another file is under the path. */
const LOOK_EVERY_MS = 1000;

/** How long to wait for a lock before it is tried again. Nearly all are held for much less. */
const RETRY_MS = 1;

/** The options of the backend. */
interface SqliteBackendOptions extends SqliteFileOptions {
  /** Default: by `sqliteDriver`. */
  readonly open: OpenSqlite | undefined;
  /** How long a call waits for the lock: as long as the most patient caller may. */
  readonly longestWaitMs: number;
  /** Called with each file that is opened. */
  readonly opened: (file: SqliteFile) => void;
}

/**
 * Keeps entries as rows of a table. The time is the time of day of the machine, since all its processes have that in common. Where another
 * process holds the lock, it is tried again by the clock, so that the event loop goes on.
 */
export class SqliteBackend implements CompareAndSwapBackend {
  readonly #options: SqliteBackendOptions;
  #driver: OpenSqlite | undefined;
  #file: SqliteFile | undefined;
  #isClosed = false;
  #nextLookMs = 0;
  #nextExpiryMs = 0;
  #lockedSinceMs: number | undefined;

  constructor(options: SqliteBackendOptions) {
    this.#options = options;
    this.#driver = options.open;
  }

  /** Why the file cannot be read or written now, if that is known. */
  get trouble(): string | undefined {
    if (this.#lockedSinceMs === undefined) return undefined;
    return `another process has had the lock of ${this.#options.file} for ${systemClock.now() - this.#lockedSinceMs} ms, so give the store a file of its own`;
  }

  read(keys: readonly string[]): Promise<Snapshot> {
    return this.#whenFree((file) => {
      const atMs = wallClock.now();
      return { atMs, entries: keys.map((key) => entryOf(file.read.get(key) as Row | undefined, atMs)) };
    });
  }

  swap(swaps: readonly Swap[], notAfterMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    return this.#whenFree((file) => {
      const isMade = file.transact(() => {
        const nowMs = wallClock.now();
        return nowMs <= notAfterMs && swaps.every((swap) => hasSwapped(file, swap, nowMs));
      });
      this.#expire(file);
      return isMade;
    });
  }

  delete(keys: readonly string[]): Promise<number> {
    return this.#whenFree((file) => {
      let count = 0;
      file.transact(() => {
        count = keys.reduce((sum, key) => sum + Number(file.delete.run(key).changes), 0);
        return true;
      });
      return count;
    });
  }

  deleteExpired(most: number): Promise<number> {
    return this.#whenFree((file) => deleteExpired(file, most));
  }

  close(): void {
    this.#isClosed = true;
    this.#leave();
  }

  #leave(): void {
    const file = this.#file;
    this.#file = undefined;
    file?.close();
  }

  /** Acts on the file as soon as no other process has its lock. */
  async #whenFree<T>(act: (file: SqliteFile) => T): Promise<T> {
    this.#driver ??= await sqliteDriver();
    const { longestWaitMs } = this.#options;
    const open = this.#driver;
    const sinceMs = systemClock.now();
    for (;;) {
      try {
        const result = act(this.#opened(open));
        this.#lockedSinceMs = undefined;
        return result;
      } catch (error) {
        if (!isBusy(error)) throw this.#failure(error);
        // Now and then libsql leaves a statement open that has been read. A new connection has none.
        if (isOldSnapshot(error)) this.#leave();
        this.#lockedSinceMs ??= sinceMs;
        if (systemClock.now() - sinceMs >= longestWaitMs) throw lockError(this.trouble as string, error);
      }
      await systemClock.sleep(RETRY_MS);
    }
  }

  #opened(open: OpenSqlite): SqliteFile {
    const nowMs = systemClock.now();
    if (this.#file && nowMs >= this.#nextLookMs) {
      this.#nextLookMs = nowMs + LOOK_EVERY_MS;
      if (this.#file.isReplaced()) this.#leave();
    }
    if (!this.#file) {
      if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
      this.#file = new SqliteFile(open, this.#options);
      this.#nextLookMs = nowMs + LOOK_EVERY_MS;
      this.#options.opened(this.#file);
    }
    return this.#file;
  }

  /** Opens the file anew with the next call: nobody knows what of the old connection still works. */
  #failure(error: unknown): unknown {
    try {
      this.#leave();
    } catch {
      // The first error says more.
    }
    return explained(error, this.#options.file);
  }

  /** Deletes a batch of expired rows now and then, after a write. There is no timer. */
  #expire(file: SqliteFile): void {
    const nowMs = systemClock.now();
    if (nowMs < this.#nextExpiryMs) return;
    this.#nextExpiryMs = nowMs + EXPIRE_EVERY_MS;
    try {
      if (deleteExpired(file, EXPIRED_AT_ONCE) === EXPIRED_AT_ONCE) this.#nextExpiryMs = nowMs;
    } catch {
      // The write before it has been made. If this goes on, later writes fail as well, and report it.
    }
  }
}

function entryOf(row: Row | undefined, atMs: number): Entry | undefined {
  return row && { version: row.version, value: row.value, forMs: Number(row.expires_at) - atMs };
}

/** Makes one of the changes. Returns false if the key has another version. */
function hasSwapped(file: SqliteFile, swap: Swap, nowMs: number): boolean {
  return Number(swapped(file, swap, nowMs).changes) === 1;
}

function swapped(file: SqliteFile, { key, was, next }: Swap, nowMs: number): ReturnType<SqliteStatement['run']> {
  if (next === undefined) return file.remove.run(key, was ?? '');
  const { version, value, forMs } = next;
  // Later than necessary, so that the next writes need not change it.
  const endMs = Math.trunc(nowMs + 1.5 * forMs);
  if (was === undefined) return file.add.run(key, version, value, endMs);
  return file.change.run(version, value, nowMs + forMs, nowMs + 2 * forMs, endMs, key, was);
}

function deleteExpired(file: SqliteFile, most: number): number {
  return Number(file.deleteExpired.run(wallClock.now(), most).changes);
}

function lockError(trouble: string, cause: unknown): SluiceError {
  return new SluiceError('SLUICE_STORE', trouble, { cause, storeFailure: 'timeout' });
}
