/** A value in a row. */
export type SqlValue = string | number | null | ArrayBuffer;

/** The part of the storage of a Durable Object that its class uses. Its class must have storage of SQLite: `new_sqlite_classes`. */
export interface ObjectStorage {
  /** The database of the object. */
  readonly sql: {
    /** Runs a statement at once, and returns its rows. */
    exec(query: string, ...values: (string | number)[]): { toArray(): Record<string, SqlValue>[] };
  };
  /** Makes all changes of a function, or none if it throws. */
  transactionSync<T>(body: () => T): T;
  /** Resolves when all changes so far will outlive the object's process. */
  sync(): Promise<void>;
  /** Resolves with the time at which the object is woken, or null. */
  getAlarm(): Promise<number | null>;
  /** Has the object woken at a time, in place of the time that was set before. */
  setAlarm(atMs: number): Promise<void>;
  /** Sees to it that the object is not woken. */
  deleteAlarm(): Promise<void>;
  /** Deletes everything; by itself, it may leave what an alarm has stored. */
  deleteAll(): Promise<void>;
}

/** The part of the state of a Durable Object that its class uses. */
export interface ObjectState {
  /** What outlives the object's process. */
  readonly storage: ObjectStorage;
}
