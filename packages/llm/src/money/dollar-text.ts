const MICRO_DOLLARS = 1_000_000;

/**
 * Returns micro-dollars as exact decimal text, which `usd` reads back: `'12'`, `'0.50'`, `'0.000005'`. No digit is rounded away.
 */
export function dollarText(microDollars: number): string {
  const whole = Math.floor(microDollars / MICRO_DOLLARS);
  const digits = String(microDollars % MICRO_DOLLARS).padStart(6, '0');
  const decimals = digits.replace(/0+$/, '');
  return decimals === '' ? String(whole) : `${whole}.${decimals.padEnd(2, '0')}`;
}
