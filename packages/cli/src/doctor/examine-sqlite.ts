import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, rm, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { SqliteDatabase } from '@sluice/sqlite';
import { reasonOf } from '../input.js';
import type { Diagnosis, Examination } from './diagnosis.js';
import { optionalPackage } from './optional-package.js';
import { reasonText } from './reason.js';
import type { FileUrl } from './store-url.js';
import { tryStore } from './trial.js';

/** What has to be installed to open a file. */
const INSTALL = './sluice-sqlite-*.tgz';

/** The default `timeout` of a `SqliteStore`. */
const DEADLINE_MS = 100;

/** Less is soon used up by the log of what was written. */
const LEAST_FREE_BYTES = 100 * 2 ** 20;

/** What Linux calls the file systems of networks, by their number in `statfs`. */
const NETWORK_DRIVES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x01021997, '9P'],
]);

/** What opens files, and its name. */
interface Driver {
  readonly name: string;
  readonly open: (file: string) => SqliteDatabase;
}

/** Examines a file of SQLite, or the place where one would be. */
export async function examineSqlite({ file }: FileUrl, { diagnosis, table, timeoutMs }: Examination): Promise<void> {
  await optionalPackage(import('@sluice/sqlite'), INSTALL);
  const path = resolve(file);
  if (!(await isFolderUsable(path, diagnosis))) return;
  const driver = await sqliteDriver();
  diagnosis.ok('driver', `The file is opened by ${driver.name}.`);
  await checkDisk(dirname(path), diagnosis);
  const isThere = (await stat(path).catch(() => undefined)) !== undefined;
  if (!isThere) diagnosis.ok('file', `${file} does not exist yet: the store makes it.`);
  const isFine = !isThere || isFileUsable(path, { driver, diagnosis, table, timeoutMs });
  if (isFine) await decide(path, driver, diagnosis);
}

async function isFolderUsable(path: string, diagnosis: Diagnosis): Promise<boolean> {
  const folder = dirname(path);
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    diagnosis.fail(
      'file',
      `The folder ${folder} cannot be used: ${isMissing ? 'it does not exist' : reasonOf(error)}.`,
      isMissing
        ? `Run mkdir -p ${folder}.`
        : 'Give the user of your application the right to write the file and its folder.',
    );
    return false;
  }
}

/** Opens files as the store does. */
async function sqliteDriver(): Promise<Driver> {
  const builtIn = process.getBuiltinModule?.('node:sqlite') as
    | { readonly DatabaseSync: new (file: string) => SqliteDatabase }
    | undefined;
  if (builtIn)
    return { name: `node:sqlite of Node.js ${process.versions.node}`, open: (file) => new builtIn.DatabaseSync(file) };
  const { default: Database } = await optionalPackage(import('libsql'), `libsql ${INSTALL}`);
  return { name: 'the package libsql', open: (file) => new Database(file) };
}

async function checkDisk(folder: string, diagnosis: Diagnosis): Promise<void> {
  const { type, bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const drive = process.platform === 'linux' ? NETWORK_DRIVES.get(type) : undefined;
  const figures = { freeBytes };
  if (drive !== undefined)
    diagnosis.fail(
      'disk',
      `The folder is on a network drive (${drive}), where SQLite cannot lock files safely.`,
      'Put the file on a disk of this machine.',
      figures,
    );
  else if (freeBytes < LEAST_FREE_BYTES)
    diagnosis.warn('disk', `The disk has ${megabytes(freeBytes)} left.`, 'Free some space.', figures);
  else
    diagnosis.ok('disk', `This is no network drive that is known here, and ${megabytes(freeBytes)} are left.`, figures);
}

/** Looks into a file that is there, and takes its lock for a moment. It writes nothing. */
function isFileUsable(
  path: string,
  { driver, diagnosis, table, timeoutMs }: { driver: Driver; diagnosis: Diagnosis; table: string; timeoutMs: number },
): boolean {
  try {
    const database = driver.open(path);
    try {
      database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
      // It fails for a file that may not be written, and for one whose lock another process has.
      database.exec('BEGIN IMMEDIATE');
      database.exec('ROLLBACK');
      diagnosis.ok('file', 'The file can be written.');
      checkTables(database, table, diagnosis);
      checkJournal(database, diagnosis);
      return true;
    } finally {
      database.close();
    }
  } catch (error) {
    diagnosis.fail('file', `The file cannot be written: ${reasonText(error)}.`, remedyFor(error));
    return false;
  }
}

function remedyFor(error: unknown): string {
  const reason = reasonText(error);
  if (/locked|busy/i.test(reason))
    return 'Give the store a file of its own: another process holds the lock of this one.';
  if (/not a database|malformed/i.test(reason))
    return 'Give the store another file: this one is no database of SQLite, or is damaged.';
  return 'Give the user of your application the right to write the file and its folder.';
}

function checkTables(database: SqliteDatabase, table: string, diagnosis: Diagnosis): void {
  const { others } = database
    .prepare(
      "SELECT count(*) AS others FROM sqlite_master WHERE type = 'table' AND name <> ? AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    )
    .get(table) as { readonly others: number };
  if (others > 0)
    diagnosis.warn(
      'tables',
      `The file has other tables (${others}): a long transaction about them holds the lock that decisions need.`,
      'Give the store a file of its own, or name its table with --table.',
    );
}

function checkJournal(database: SqliteDatabase, diagnosis: Diagnosis): void {
  const { journal_mode: mode } = database.prepare('PRAGMA journal_mode').get() as { readonly journal_mode: string };
  const text = mode === 'wal' ? 'It is WAL.' : `It is ${mode} now: the store sets WAL when it opens the file.`;
  diagnosis.ok('journal', text);
}

/** Decides in a file beside the one of the application: the same folder and disk, and nothing of it stays. */
async function decide(path: string, { open }: Driver, diagnosis: Diagnosis): Promise<void> {
  const { SqliteStore } = await import('@sluice/sqlite');
  const file = `${path}.doctor-${randomUUID().slice(0, 8)}`;
  const store = new SqliteStore({ file, open });
  try {
    await tryStore({
      diagnosis,
      store,
      policy: 'doctor',
      place: 'in a file beside it',
      deadlineMs: DEADLINE_MS,
    });
  } finally {
    await store.close();
    for (const ending of ['', '-wal', '-shm']) await rm(`${file}${ending}`, { force: true });
  }
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20).toLocaleString('en')} MB`;
}
