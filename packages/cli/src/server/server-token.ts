import { readFile } from 'node:fs/promises';
import { unreadableError, usageError } from '../exit-code.js';
import { reasonOf } from '../input.js';
import type { Io } from '../io.js';

/** A token of `Bearer` (RFC 6750 section 2.1). */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** A line of the file that the service writes when it has made tokens. */
const NAMED = /^(?:read|write)\s+(\S+)$/;

/**
 * Returns the token for the service: that of the file, or of the variable `SLUICE_TOKEN`. A token is no argument, because everybody on
 * a machine can see the arguments of its programs.
 *
 * @param path - a file with one token, or the one that the service has written
 * @throws CommandError 2 without a token; 3 if the file cannot be read. No message has a token.
 */
export async function serverToken(path: string | undefined, io: Io): Promise<string> {
  const token = await bearerToken(path, 'SLUICE_TOKEN', io);
  if (token === undefined) {
    throw usageError('the service wants a token: set SLUICE_TOKEN, or name its file with --token-file');
  }
  return token;
}

/**
 * Returns the token of a file, or else of a variable; undefined if there is none.
 *
 * @throws CommandError 2 if it is no token; 3 if the file cannot be read. No message has a token.
 */
export async function bearerToken(
  path: string | undefined,
  variable: string,
  { env }: Io,
): Promise<string | undefined> {
  if (path !== undefined) return checked(tokenIn(await read(path)), `the file ${path}`);
  const token = env[variable]?.trim();
  return token ? checked(token, variable) : undefined;
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw unreadableError(`cannot read ${path}: ${reasonOf(error)}`, error);
  }
}

/** The last line is the one that may write. */
function tokenIn(text: string): string {
  const last = text.trim().split('\n').at(-1)?.trim() ?? '';
  return NAMED.exec(last)?.[1] ?? last;
}

function checked(token: string, place: string): string {
  if (TOKEN.test(token)) return token;
  throw usageError(`${place} has no token: a token has letters, digits and -._~+/`);
}
