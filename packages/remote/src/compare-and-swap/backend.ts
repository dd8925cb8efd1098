// Why it is so: core/docs/why/other-databases.md

/** The value of a key in the database. */
export interface Entry {
  /** The version that it was written with. */
  readonly version: string;
  /** The text that it was written with. */
  readonly value: string;
  /**
   * How long the database still keeps it, in milliseconds, if it knows. Absent: the state of a key that is blocked by hand is kept
   * for 400 days, or until the next decision about the key.
   */
  readonly forMs?: number;
}

/** The result of one read. */
export interface Snapshot {
  /**
   * The database's time of this read: whole milliseconds since 1970. Return it if several instances share the database,
   * so that their clocks need not agree. Absent: the store's own clock counts.
   */
  readonly atMs?: number;
  /** In the order of the keys; undefined for a key that is absent. */
  readonly entries: readonly (Entry | undefined)[];
}

/** The new value of a key. */
export interface NextEntry extends Entry {
  /**
   * How long the entry matters: whole milliseconds from now on, at least 1. Afterwards you may delete it or return it
   * again. The decisions are the same.
   */
  readonly forMs: number;
}

/** The change of one key. */
export interface Swap {
  /** The key to write. */
  readonly key: string;
  /** The version that was read; undefined if the key has to be absent. */
  readonly was: string | undefined;
  /** The new value. Undefined: delete the key; it has the version in `was`. */
  readonly next: NextEntry | undefined;
}

/**
 * What a database has to do to become a store.
 *
 * Keys are at most 250 ASCII characters without spaces, compared byte by byte. Versions are at most 40 characters.
 * Values are ASCII text, and mostly short; a log or many slots may take several hundred kilobytes.
 */
export interface CompareAndSwapBackend {
  /** Reads keys. No key occurs twice, and the list may be empty. The keys need not be read at one moment. */
  read(keys: readonly string[]): Promise<Snapshot>;
  /**
   * Makes all of these changes in one atomic step, or none. No key occurs twice. Resolves with true if all were made.
   * Resolves with false, and changes nothing, if a key no longer has the version that was read.
   *
   * @param notAfterMs - a time as `read` returns it. From then on, change nothing and resolve with false. If you ignore
   * it, a request that was decided without the database may be charged later.
   */
  swap(swaps: readonly Swap[], notAfterMs: number | undefined): Promise<boolean>;
  /** Deletes keys, whatever their version. Resolves with the number of keys that existed. */
  delete(keys: readonly string[]): Promise<number>;
  /** Called once, when the store is closed and all operations have ended. */
  close?(): Promise<void> | void;
}
