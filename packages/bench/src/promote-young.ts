/**
 * Has the garbage collector move all young objects that are in use to the old generation, where it does not copy them again.
 * An object moves with the second collection that it survives. Needs `--expose-gc`.
 */
export function promoteYoung(): void {
  for (let i = 0; i < 2; i += 1) globalThis.gc?.({ type: 'minor' });
}
