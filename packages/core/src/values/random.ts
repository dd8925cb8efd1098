import { NODE } from './node.js';

/**
 * Fills an array with random numbers that nobody can foresee, and returns it.
 *
 * On Node.js it uses the module that makes hashes. The first use of the global `crypto` would load more modules beside it, which
 * takes two milliseconds of a start.
 */
export function fillRandomly<T extends Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(
  numbers: T,
): T {
  const node = NODE?.getBuiltinModule('node:crypto');
  return typeof node?.randomFillSync === 'function' ? node.randomFillSync(numbers) : crypto.getRandomValues(numbers);
}

/** Returns a number from 0 to below 1 that nobody can foresee. */
export function randomFraction(): number {
  const [number] = fillRandomly(new Uint32Array(1));
  return (number as number) / 2 ** 32;
}
