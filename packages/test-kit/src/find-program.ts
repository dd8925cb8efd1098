import { accessSync, constants } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** Returns the path of a program by its name on the PATH, or by its path; undefined where there is none that can be run. */
export function findProgram(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = /[\\/]/.test(program) ? [resolve(program)] : folders.map((folder) => join(folder, program));
  return paths.find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
