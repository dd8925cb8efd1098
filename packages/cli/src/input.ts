import { readFile } from 'node:fs/promises';
import { type CommandError, unreadableError, usageError } from './exit-code.js';
import type { Io } from './io.js';

/** What people call the errors of the file system that they meet. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not text in UTF-8',
};

/** Returns why the file system refused, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code !== undefined && REASONS[code]) || message;
}

/** The standard inputs that were read. A second time, nothing would be left of them. */
const READ = new WeakSet<Io['stdin']>();

/**
 * Returns the text of a file, or of the standard input for `-`.
 *
 * @throws CommandError 2 for the standard input if it was read before; 3 if the text cannot be read, or is not UTF-8
 */
export async function readInput(path: string, io: Io): Promise<string> {
  if (path === '-') {
    if (READ.has(io.stdin)) throw readTwice();
    READ.add(io.stdin);
  }
  try {
    const bytes = path === '-' ? await readAll(io.stdin) : await readFile(path);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadableError(`cannot read ${nameOf(path)}: ${reasonOf(error)}`, error);
  }
}

/** The error of a command line that names the standard input twice. */
export function readTwice(): CommandError {
  return usageError('the standard input (-) can be read only once');
}

/** What messages call an input. */
export function nameOf(path: string): string {
  return path === '-' ? '<stdin>' : path;
}

async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}
