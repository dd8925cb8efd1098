/** What a backend keeps under a key. */
export interface Entry {
  /** The version that it was written with. */
  readonly version: string;
  /** The text that it was written with. */
  readonly value: string;
}

/** The answer to one read. */
export interface Snapshot {
  /**
   * The database's time of this read: whole milliseconds since 1970. Absent: the store's own clock counts. Give it wherever
   * several instances share the database, so that their clocks need not agree.
   */
  readonly atMs?: number;
  /** In the order of the keys; undefined where nothing is kept. */
  readonly entries: readonly (Entry | undefined)[];
}

/** What a key is to hold from now on. */
export interface NextEntry extends Entry {
  /**
   * How long the entry matters: whole milliseconds from now on, at least 1. Afterwards it may be deleted, or read once
   * more; the answers are the same.
   */
  readonly forMs: number;
}

/** The change of one key. */
export interface Swap {
  readonly key: string;
  /** The version that was read; undefined: the key must be absent. */
  readonly was: string | undefined;
  /** Undefined: delete the key. There is then a version that it had. */
  readonly next: NextEntry | undefined;
}

/**
 * What a database has to do to become a store. Keys are at most 250 ASCII characters without blanks and are compared byte by
 * byte; versions at most 40; values are ASCII text, mostly short (a log or many slots may take several hundred kilobytes).
 */
export interface CompareAndSwapBackend {
  /** Reads keys, none of them twice, possibly none at all. They need not be read at one moment. */
  read(keys: readonly string[]): Promise<Snapshot>;
  /**
   * Makes all of these changes, each of another key, in one atomic step, or none. Resolves with false, having changed
   * nothing, if a key no longer has the version that was read; with true if all were made.
   *
   * @param notAfterMs - by the time that `read` tells: from then on, change nothing and resolve with false. A backend that
   * ignores this may charge a request that was answered without it.
   */
  swap(swaps: readonly Swap[], notAfterMs: number | undefined): Promise<boolean>;
  /** Deletes keys, whatever their version. Resolves with how many there were. */
  delete(keys: readonly string[]): Promise<number>;
  /** Called once, when the store is closed and nothing is under way any more. */
  close?(): Promise<void> | void;
}
