import { SluiceError } from '@sluice/core';

/** A kind of errors of SQLite: https://www.sqlite.org/rescode.html */
interface Kind {
  readonly name: string;
  readonly code: number;
  /** Says how to fix it. */
  readonly remedy?: (file: string) => string;
}

const BUSY: Kind = { name: 'SQLITE_BUSY', code: 5 };

/** The result code of SQLITE_BUSY_SNAPSHOT, which is of the kind above. */
const BUSY_SNAPSHOT = 517;

const RIGHTS = 'this process needs the right to write the file and its folder';

const KINDS: readonly Kind[] = [
  BUSY,
  {
    name: 'SQLITE_ERROR',
    code: 1,
    remedy: (file) => `SQLite refused a statement: give the store a table of its own in ${file}`,
  },
  { name: 'SQLITE_PERM', code: 3, remedy: (file) => `${file} cannot be used: ${RIGHTS}` },
  { name: 'SQLITE_READONLY', code: 8, remedy: (file) => `${file} is read-only: ${RIGHTS}` },
  {
    name: 'SQLITE_IOERR',
    code: 10,
    remedy: (file) => `the disk of ${file} failed, or is full: look into the log of the system`,
  },
  {
    name: 'SQLITE_CORRUPT',
    code: 11,
    remedy: (file) => `${file} is damaged: delete it, and the files beside it that end with -wal and -shm`,
  },
  { name: 'SQLITE_FULL', code: 13, remedy: (file) => `the disk of ${file} is full: free some space` },
  {
    name: 'SQLITE_CANTOPEN',
    code: 14,
    remedy: (file) => `${file} cannot be opened: create its folder, and give this process the right to write there`,
  },
  { name: 'SQLITE_NOTADB', code: 26, remedy: (file) => `${file} is not a database of SQLite: set another file` },
];

/**
 * Returns the kind of an error. `node:sqlite` has the result code as a number, whose lowest byte is that of the kind. Other packages have its
 * name, such as `SQLITE_IOERR_WRITE`, which begins with that of the kind.
 */
function kindOf(error: unknown): Kind | undefined {
  const { errcode, code } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  if (typeof errcode === 'number') return KINDS.find((kind) => kind.code === (errcode & 0xff));
  return KINDS.find(({ name }) => code === name || (typeof code === 'string' && code.startsWith(`${name}_`)));
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return kindOf(error) === BUSY;
}

/** Whether this connection itself is in the way: a statement of it still sees the file as it was, and that can never be written. */
export function isOldSnapshot(error: unknown): boolean {
  const { errcode, code } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  return errcode === BUSY_SNAPSHOT || code === 'SQLITE_BUSY_SNAPSHOT';
}

/** Returns an error that says how to fix the problem, or the original error if there is no advice. */
export function explained(error: unknown, file: string): unknown {
  if (error instanceof SluiceError) return error;
  const remedy = kindOf(error)?.remedy?.(file);
  return remedy === undefined ? error : new SluiceError('SLUICE_STORE', remedy, { cause: error });
}
