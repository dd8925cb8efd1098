import { wallClock } from '@sluice/core';
import type { CompareAndSwapBackend, Entry, Snapshot, Swap } from '@sluice/core/store';
import type { ObjectStorage, SqlValue } from './object-storage.js';

/** How long an alarm waits at least: each one costs as much as a request, so a busy object has one a minute. */
export const LEAST_ALARM_MS = 60_000;

/** How many expired rows one alarm deletes. Calls are answered before the next one. */
export const EXPIRED_AT_ONCE = 1000;

/** Has no index for the times: each would cost a write more for each new key. An alarm reads all rows, which costs a thousandth of that. */
const CREATE = `CREATE TABLE IF NOT EXISTS limits (
  key TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID`;

/**
 * Keeps entries as rows in the storage of a Durable Object. The object runs one thing at a time, and each call here ends before it returns, so
 * nothing comes between the statements of a call. An alarm deletes the rows that have expired, and everything when none is left.
 */
export class ObjectBackend implements CompareAndSwapBackend {
  readonly #storage: ObjectStorage;
  #opening: Promise<void> | undefined;
  #hasTable = false;
  /** When the alarm rings; undefined if none is set. */
  #alarmMs: number | undefined;
  /** Up to which key alarms that follow one another have looked. */
  #sweptTo = '';
  /** The time of a test, in place of that of the object. No alarm is set by it. */
  testMs: number | undefined;

  constructor(storage: ObjectStorage) {
    this.#storage = storage;
  }

  /** Finds out whether an alarm is set. It has to be called before the other methods. After a failure, the next call tries again. */
  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<void> {
    try {
      this.#alarmMs = (await this.#storage.getAlarm()) ?? undefined;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async read(keys: readonly string[]): Promise<Snapshot> {
    const atMs = this.#nowMs;
    const rows = this.#isThere() ? keys.map((key) => this.#row(key)) : keys.map(() => undefined);
    return { atMs, entries: rows.map((row) => entryOf(row, atMs)) };
  }

  async swap(swaps: readonly Swap[], notAfterMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const nowMs = this.#nowMs;
    if (nowMs > notAfterMs) return false;
    this.#makeTable();
    if (swaps.some(({ key, was }) => this.#row(key)?.version !== was)) return false;
    this.#storage.transactionSync(() => {
      for (const swap of swaps) this.#write(swap, nowMs);
    });
    const endsMs = swaps.flatMap(({ next }) => (next ? [nowMs + next.forMs] : []));
    if (endsMs.length > 0) this.#expireAfter(Math.min(...endsMs), nowMs);
    // The answers wait for it in any case. Calls that come meanwhile are decided together after it, and share a write.
    await this.#storage.sync();
    return true;
  }

  async delete(keys: readonly string[]): Promise<number> {
    if (!this.#isThere()) return 0;
    return this.#storage.transactionSync(() =>
      keys.reduce((sum, key) => sum + this.#run('DELETE FROM limits WHERE key = ? RETURNING 1', key).length, 0),
    );
  }

  /** Deletes rows that have expired: the alarm has rung. */
  async expire(): Promise<void> {
    this.#alarmMs = undefined;
    if (!this.#isThere()) return;
    const nowMs = this.#nowMs;
    const deleted = this.#run(
      `DELETE FROM limits WHERE key IN
(SELECT key FROM limits WHERE key > ? AND expires_at <= ? ORDER BY key LIMIT ${EXPIRED_AT_ONCE}) RETURNING key`,
      this.#sweptTo,
      nowMs,
    );
    if (deleted.length === EXPIRED_AT_ONCE) {
      // The next one goes on here. To look at all rows each time would take the longer, the more there are.
      this.#sweptTo = deleted.reduce((last, { key }) => ((key as string) > last ? (key as string) : last), '');
      await this.#setAlarm(nowMs);
      return;
    }
    this.#sweptTo = '';
    const [first] = this.#run('SELECT min(expires_at) AS at FROM limits');
    if (typeof first?.at === 'number') {
      await this.#setAlarm(Math.max(first.at, nowMs + LEAST_ALARM_MS));
    } else {
      this.#hasTable = false;
      await Promise.all([this.#storage.deleteAlarm(), this.#storage.deleteAll()]);
    }
  }

  get #nowMs(): number {
    return this.testMs ?? wallClock.now();
  }

  /** An object that is only looked at writes nothing, so it needs no alarm. */
  #isThere(): boolean {
    this.#hasTable ||= this.#run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'limits'").length > 0;
    return this.#hasTable;
  }

  #makeTable(): void {
    if (this.#hasTable) return;
    this.#run(CREATE);
    this.#hasTable = true;
  }

  #row(key: string): Record<string, SqlValue> | undefined {
    return this.#run('SELECT version, value, expires_at FROM limits WHERE key = ?', key)[0];
  }

  #write({ key, next }: Swap, nowMs: number): void {
    if (!next) {
      this.#run('DELETE FROM limits WHERE key = ?', key);
      return;
    }
    const { version, value, forMs } = next;
    this.#run(
      `INSERT INTO limits (key, version, value, expires_at) VALUES (?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET version = excluded.version, value = excluded.value, expires_at = excluded.expires_at`,
      key,
      version,
      value,
      nowMs + forMs,
    );
  }

  #run(query: string, ...values: (string | number)[]): Record<string, SqlValue>[] {
    return this.#storage.sql.exec(query, ...values).toArray();
  }

  /** Sees to it that the alarm rings soon after a row has expired. One that did not ring is set again. */
  #expireAfter(endMs: number, nowMs: number): void {
    if (this.testMs !== undefined) return;
    const dueMs = Math.max(endMs, nowMs + LEAST_ALARM_MS);
    const isSet = this.#alarmMs !== undefined && this.#alarmMs > nowMs - LEAST_ALARM_MS;
    if (isSet && (this.#alarmMs as number) <= dueMs + LEAST_ALARM_MS) return;
    // The answer waits until it is written, as it does for the rows. Without an alarm, the next write sets one.
    this.#setAlarm(dueMs).catch(() => {
      this.#alarmMs = undefined;
    });
  }

  #setAlarm(atMs: number): Promise<void> {
    this.#alarmMs = atMs;
    return this.#storage.setAlarm(atMs);
  }
}

function entryOf(row: Record<string, SqlValue> | undefined, atMs: number): Entry | undefined {
  if (!row) return undefined;
  return { version: row.version as string, value: row.value as string, forMs: (row.expires_at as number) - atMs };
}
