/**
 * Returns a whole number of at least 0 as 14 characters: seven with the lower halves of its bytes, the lowest byte first,
 * and seven with the upper halves. So a script reads it as two fields of `struct`, and no character takes two bytes.
 */
export function packedNumber(number: number): string {
  const high = Math.floor(number / HALF);
  const low = number - high * HALF;
  return String.fromCharCode(
    low & 15,
    (low >>> 8) & 15,
    (low >>> 16) & 15,
    (low >>> 24) & 15,
    (high >>> 4) & 15,
    (high >>> 12) & 15,
    (high >>> 20) & 15,
    (low >>> 4) & 15,
    (low >>> 12) & 15,
    (low >>> 20) & 15,
    high & 15,
    (high >>> 8) & 15,
    (high >>> 16) & 15,
    (high >>> 24) & 15,
  );
}

/** Seven of the fourteen half bytes. */
const HALF = 2 ** 28;
