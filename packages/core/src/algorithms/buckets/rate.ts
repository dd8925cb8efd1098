import { optionError } from '../../values/error.js';

/** `refillUnits` per `refillPeriodMs`, in lowest terms. */
interface Rate {
  readonly refillUnits: number;
  readonly refillPeriodMs: number;
}

const LONGEST_PERIOD_MS = 1_000_000_000;

/**
 * Writes a rate in units per second as a fraction of whole numbers: 0.1 is 1 per 10,000 ms, one third is 1 per 3,000
 * ms, 0 is 0 per 1 ms. It is the first convergent of the continued fraction that gives `perSecond` back. If no period
 * up to 10^9 ms expresses the rate, it is rounded down.
 *
 * @throws SluiceError `SLUICE_OPTION` if the rate is no number of at least 0, or is too slow or too fast to count
 */
export function rateOf(perSecond: unknown, path: string): Rate {
  if (typeof perSecond !== 'number' || !(perSecond >= 0) || perSecond > Number.MAX_SAFE_INTEGER) {
    throw optionError(path, 'must be a number of units per second of at least 0', perSecond);
  }
  if (perSecond === 0) return { refillUnits: 0, refillPeriodMs: 1 };
  const rate = exactRate(perSecond) ?? rateBelow(perSecond);
  if (rate.refillUnits === 0) throw optionError(path, 'must be 0 or at least 0.000001 per second', perSecond);
  return rate;
}

function exactRate(perSecond: number): Rate | undefined {
  let rest = perSecond / 1000;
  let [n, m, previousN, previousM] = [1, 0, 0, 1];
  for (;;) {
    const whole = Math.floor(rest);
    [n, m, previousN, previousM] = [whole * n + previousN, whole * m + previousM, n, m];
    if (m > LONGEST_PERIOD_MS || n > Number.MAX_SAFE_INTEGER) return undefined;
    if ((n * 1000) / m === perSecond) return { refillUnits: n, refillPeriodMs: m };
    if (rest === whole) return undefined;
    rest = 1 / (rest - whole);
  }
}

function rateBelow(perSecond: number): Rate {
  const m = perSecond * (LONGEST_PERIOD_MS / 1000) <= Number.MAX_SAFE_INTEGER ? LONGEST_PERIOD_MS : 1000;
  let n = Math.floor(perSecond * (m / 1000));
  if ((n * 1000) / m > perSecond) n -= 1;
  const divisor = greatestCommonDivisor(n, m);
  return { refillUnits: n / divisor, refillPeriodMs: m / divisor };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
