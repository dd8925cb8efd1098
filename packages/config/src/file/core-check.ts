import { SluiceError } from '@sluice/core';
import type { MistakeList } from './mistake-list.js';
import { type Path, pathOf } from './path.js';

/**
 * Calls a function of the core that checks options. If it refuses them, the error becomes a mistake of the file.
 *
 * @param base - where the options stand in the file
 * @param inner - where the mistake is from there, by the path of the error
 */
export function checkedByCore<T>(
  check: () => T,
  base: Path,
  mistakes: MistakeList,
  inner: (path: Path) => Path = (path) => path,
): T | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    mistakes.addError(base, error, inner(pathOf(error.path ?? '')));
    return undefined;
  }
}
