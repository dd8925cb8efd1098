import { writeFile } from 'node:fs/promises';
import { unreadableError } from './exit-code.js';
import { reasonOf } from './input.js';

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
