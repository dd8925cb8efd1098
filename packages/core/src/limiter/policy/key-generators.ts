import { optionError } from '../../values/error.js';
import { checkFunction } from '../../values/option-checks.js';
import type { Args, KeyGenerator } from './options.js';

/** The functions that make a key: one, or several for a compound key. */
export interface KeyGenerators<A extends Args> {
  readonly keyGenerators: readonly KeyGenerator<A>[];
  readonly isCompoundKey: boolean;
}

/**
 * Reads the option `keyGenerator`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function keyGeneratorsOf<A extends Args>(
  keyGenerator: KeyGenerator<A> | readonly KeyGenerator<A>[],
  path: string,
): KeyGenerators<A> {
  if (!Array.isArray(keyGenerator)) {
    checkFunction(keyGenerator, path);
    return { keyGenerators: [keyGenerator as KeyGenerator<A>], isCompoundKey: false };
  }
  if (keyGenerator.length === 0) throw optionError(path, 'must have at least one part', keyGenerator);
  keyGenerator.forEach((part, i) => {
    checkFunction(part, `${path}[${i}]`);
  });
  return { keyGenerators: [...keyGenerator], isCompoundKey: true };
}
