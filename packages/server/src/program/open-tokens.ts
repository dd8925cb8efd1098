import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { SluiceError } from '@sluice/core';
import { reasonOf } from '@sluice/core/values';
import { type AdminTokens, adminTokens, newAdminToken, tokenFileText } from '../admin/tokens.js';
import type { Log } from './log.js';
import type { ServerOptions } from './options/server-options.js';

/** The tokens of the administration. */
interface OpenTokens {
  readonly tokens: AdminTokens;
  /** The file of tokens that were made at the start. */
  readonly file?: string;
  /** Removes that file. */
  remove(): void;
}

/**
 * Takes the tokens that were given. If none was, it makes a read token and a write token, and writes them to a file that nobody
 * else can read.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function openTokens({ readTokens: read, writeTokens: write }: ServerOptions, log: Log): OpenTokens {
  if (read.length + write.length > 0) return { tokens: adminTokens({ read, write }), remove() {} };
  const made = { read: [newAdminToken()], write: [newAdminToken()] };
  const folder = newFolder();
  const remove = (): void => {
    process.off('exit', remove);
    IN_USE.delete(folder);
    rmSync(folder, { recursive: true, force: true });
  };
  // Also if a second signal ends the process at once.
  process.once('exit', remove);
  const file = join(folder, 'tokens');
  writeFileSync(file, tokenFileText(made), { mode: 0o600, flag: 'wx' });
  log.info({ file }, 'the tokens of the admin port are in this file, until the program ends');
  return { tokens: adminTokens(made), file, remove };
}

/**
 * Returns a new folder of mode 0700: nobody can have put a file or a link there before.
 *
 * @throws SluiceError `SLUICE_OPTION` where no file can be written, as in a container whose file system is read-only
 */
function newFolder(): string {
  try {
    removeLeftFolders();
    const folder = mkdtempSync(join(tmpdir(), `${OF_THIS_HOST}${process.pid}-`));
    IN_USE.add(folder);
    return folder;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const what = `no file for tokens of the admin port can be made in ${tmpdir()} (${code ?? reasonOf(cause)})`;
    const cure = 'set --read-token-file and --write-token-file, SLUICE_READ_TOKEN and SLUICE_WRITE_TOKEN, or TMPDIR';
    throw new SluiceError('SLUICE_OPTION', `${what}: ${cure}`, { cause });
  }
}

/** Processes of another host or container may share the folder of temporary files, and have the same numbers. */
const OF_THIS_HOST = `sluice-server-${hostname().replaceAll(/[^\w.-]/g, '_')}-`;

/** The folders of this process. */
const IN_USE = new Set<string>();

/** Removes the token files of processes that were killed, and could not do it themselves. */
function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(OF_THIS_HOST) && /^(\d+)-\w{6}$/.exec(name.slice(OF_THIS_HOST.length))?.[1];
    const folder = join(tmpdir(), name);
    if (pid && !IN_USE.has(folder) && !isAlive(Number(pid)) && isOwn(folder)) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** After a restart of its container, this process may have the number of the one before it. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Somebody else may have made a folder of this name, or a link, in a folder that all can write to. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}
