// Why it is so: docs/why/margins-and-guarantees.md

/**
 * Returns how many of the guaranteed units that are not used have to stay free, if this part of them may be lent. A
 * difference below a millionth of a unit is a rounding error, and is ignored.
 *
 * @param unused - guaranteed units that are available now
 * @param lend - the part that may be lent, from 0 to 1
 */
export function keptForParts(unused: number, lend: number): number {
  return Math.min(unused, Math.ceil(Math.floor((1 - lend) * unused * 1e6 + 0.5) / 1e6));
}
