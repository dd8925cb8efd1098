import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type AdminTokens, adminTokens, newAdminToken, tokenFileText } from '../admin/tokens.js';
import type { Log } from './log.js';
import type { ServerOptions } from './options/server-options.js';

/** The tokens of the administration. */
export interface OpenTokens {
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
  // A new folder of mode 0700: nobody can have put a file or a link there before.
  const folder = mkdtempSync(join(tmpdir(), 'sluice-server-'));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  // Also if a second signal ends the process at once.
  process.once('exit', remove);
  const file = join(folder, 'tokens');
  writeFileSync(file, tokenFileText(made), { mode: 0o600, flag: 'wx' });
  log.info({ file }, 'the tokens of the admin port are in this file, until the program ends');
  return { tokens: adminTokens(made), file, remove };
}
