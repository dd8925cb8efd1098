import type { RemoteStoreOptions } from '@sluice/core/store';
import type { OpenSqlite } from './sqlite-driver.js';

/** The options of a SqliteStore. */
export interface SqliteStoreOptions extends RemoteStoreOptions {
  /**
   * The file, on a disk of this machine. It is created if it is missing; its folder is not. Two more files lie beside it while it is open,
   * with the endings `-wal` and `-shm`.
   */
  file: string;
  /** The table: at most 50 lower-case letters, digits and underscores. Default: `'sluice'`. */
  table?: string;
  /**
   * Opens the file. Default: `node:sqlite` where Node has it (22.13 and later), otherwise the package libsql. Set it for another package of the
   * same form, such as better-sqlite3, or where a bundler hides libsql: `open: (path) => new Database(path)`.
   */
  open?: OpenSqlite;
  /** How often a decision is tried if other processes change its rows meanwhile: 1 to 1,000. Default: 50. */
  attempts?: number;
  /**
   * Whether a decision waits until it is written to disk. Default: false (`synchronous = NORMAL`): a process that is killed loses nothing, but
   * a machine that loses its power may lose the last moments.
   */
  durable?: boolean;
}
