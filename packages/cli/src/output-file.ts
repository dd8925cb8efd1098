import { constants } from 'node:fs';
import { access, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unreadableError } from './exit-code.js';
import { reasonOf } from './input.js';

/**
 * Checks that a file can be written, before work begins that takes long. It writes nothing.
 *
 * @throws CommandError 3 if it cannot
 */
export async function checkOutput(path: string): Promise<void> {
  try {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) throw new Error('it is a folder');
    await access(found ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw unreadableError(`cannot write ${path}: ${reasonOf(error)}`, error);
  }
}

/**
 * Writes a file in one go.
 *
 * @throws CommandError 3 if it cannot be written
 */
export async function writeOutput(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw unreadableError(`cannot write ${path}: ${reasonOf(error)}`, error);
  }
}
