import { unreadableError } from '../exit-code.js';

/** The codes of Node for a package that is not there. */
const NOT_FOUND: readonly unknown[] = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];

/**
 * Waits for a package that only this store needs.
 *
 * @param install - what has to be installed for this store
 * @throws CommandError 3 with the command that installs it
 */
export async function optionalPackage<Module>(loading: Promise<Module>, install: string): Promise<Module> {
  try {
    return await loading;
  } catch (error) {
    if (!NOT_FOUND.includes((error as NodeJS.ErrnoException).code)) throw error;
    throw unreadableError(`what this store needs is not installed here: npm install --save-dev ${install}`, error);
  }
}
