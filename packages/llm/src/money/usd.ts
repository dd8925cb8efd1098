import { optionError } from '@sluice/core/values';

/**
 * Dollars as decimal text: `'0.10'`, `'2.5'`, `'5'`. A number is accepted only if it is exact in binary, such as `5` or
 * `0.25`: the number 0.1 is in fact slightly more than a tenth.
 */
export type Dollars = string | number;

/** Binary fractions down to 1/64 are whole micro-dollars: 1,000,000 is 64 times 15,625. */
const EXACT_PARTS = 64;
const MICRO_DOLLARS_PER_PART = 15_625;

/**
 * Returns dollars as whole micro-dollars, the unit of all limits of money.
 *
 * @param dollars - at least 0, with at most 6 decimals
 * @throws SluiceError `SLUICE_OPTION` if it is no such decimal
 * @example
 * usd('0.10'); // 100_000
 * usd(5); // 5_000_000
 */
export function usd(dollars: Dollars): number {
  return microDollars(dollars, 'dollars');
}

/** The same for an option. An error names its path. */
export function microDollars(dollars: unknown, path: string): number {
  if (typeof dollars === 'number') return fromNumber(dollars, path);
  const match = typeof dollars === 'string' ? /^(\d+)(?:\.(\d+))?$/.exec(dollars) : null;
  const [, whole = '', decimals = ''] = match ?? [];
  const digits = decimals.slice(0, 6).padEnd(6, '0');
  if (!match || /[1-9]/.test(decimals.slice(6))) throw noDecimal(path, dollars);
  return withinRange(Number(`${whole}${digits}`), path, dollars);
}

function fromNumber(dollars: number, path: string): number {
  const parts = dollars * EXACT_PARTS;
  if (Number.isInteger(parts) && dollars >= 0) return withinRange(parts * MICRO_DOLLARS_PER_PART, path, dollars);
  if (dollars > 0 && Number.isFinite(dollars)) {
    throw optionError(path, 'must be text, such as "0.10", because this number is not exact', dollars);
  }
  throw noDecimal(path, dollars);
}

function withinRange(micros: number, path: string, received: unknown): number {
  // A zero may be negative.
  if (Number.isSafeInteger(micros)) return micros + 0;
  throw optionError(path, 'must be at most 9007199254 dollars', received);
}

function noDecimal(path: string, received: unknown): Error {
  return optionError(path, 'must be dollars as decimal text, such as "0.10", with at most 6 decimals', received);
}
