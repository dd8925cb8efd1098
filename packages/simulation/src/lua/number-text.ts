/** Numbers as text, as C's `printf` and `strtod` write and read them. */

/** Returns a number with so many significant digits, like `%.14g` for 14. */
export function withDigits(value: number, digits: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e14) return Object.is(value, -0) ? '-0' : String(value);
  return general(value, digits, false);
}

/** How Lua writes a number. */
export function numberText(value: number): string {
  if (Number.isInteger(value) && value < 1e14 && value > -1e14) return Object.is(value, -0) ? '-0' : String(value);
  return general(value, 14, false);
}

/** `%g` with a precision. With `keepZeros`, it is `%#g`. */
export function general(value: number, precision: number, keepZeros: boolean): string {
  if (!Number.isFinite(value)) return infiniteText(value);
  const digits = precision === 0 ? 1 : precision;
  const scientific = exponential(value, digits - 1, keepZeros);
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1));
  const isShort = exponent >= -4 && exponent < digits;
  const text = isShort ? fixed(value, digits - 1 - exponent, keepZeros) : scientific;
  return keepZeros ? text : withoutZeros(text);
}

/** `%e` with a precision. */
export function exponential(value: number, precision: number, keepPoint = false): string {
  if (!Number.isFinite(value)) return infiniteText(value);
  const { sign, digits, exponent } = rounded(value, precision + 1);
  const fraction = digits.slice(1);
  const point = fraction !== '' || keepPoint ? '.' : '';
  const power = Math.abs(exponent).toString().padStart(2, '0');
  return `${sign}${digits[0]}${point}${fraction}e${exponent < 0 ? '-' : '+'}${power}`;
}

/** `%f` with a precision. */
export function fixed(value: number, precision: number, keepPoint = false): string {
  if (!Number.isFinite(value)) return infiniteText(value);
  const { sign, exponent: lead } = rounded(value, 30);
  const wanted = value === 0 ? precision + 1 : lead + 1 + precision;
  const point = precision > 0 || keepPoint ? '.' : '';
  if (wanted < 0) return `${sign}0${point}${'0'.repeat(precision)}`;
  // A number below half a unit of the last place has no digit left, but may still be rounded up to one.
  const { digits, exponent } = wanted === 0 ? firstDigit(value, lead) : rounded(value, wanted);
  const whole = exponent < 0 ? '0' : digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = exponent < 0 ? '0'.repeat(-exponent - 1) + digits : digits.slice(exponent + 1);
  return `${sign}${whole}${point}${fraction.slice(0, precision).padEnd(precision, '0')}`;
}

interface Digits {
  readonly sign: string;
  readonly digits: string;
  /** Of the first digit, as a power of ten. */
  readonly exponent: number;
}

/** Rounds half to even, like C; JavaScript rounds half up. */
function rounded(value: number, count: number): Digits {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  const exact = parts(size, Math.min(100, count + 60));
  if (count > 99) return { sign, digits: exactDigits(size, count, exact.exponent), exponent: exact.exponent };
  const rest = exact.digits.slice(count);
  const isHalf = /^50*$/.test(rest);
  const last = Number(exact.digits[count - 1]);
  if (isHalf && last % 2 === 0) return { sign, digits: exact.digits.slice(0, count), exponent: exact.exponent };
  return { sign, ...parts(size, count) };
}

function parts(size: number, count: number): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '0', power = '0'] = size.toExponential(Math.max(0, count - 1)).split('e');
  return { digits: mantissa.replace('.', ''), exponent: Number(power) };
}

function exactDigits(size: number, count: number, exponent: number): string {
  const fraction = Math.min(100, Math.max(0, count - 1 - exponent));
  return size.toFixed(fraction).replace('.', '').replace(/^0+/, '').padEnd(count, '0').slice(0, count);
}

/** The digit before all digits of a number, which is 1 if the number is more than half of it. */
function firstDigit(value: number, lead: number): Digits {
  const { sign, digits } = rounded(value, 60);
  const isMore = digits > `5${'0'.repeat(59)}`;
  return { sign, digits: isMore ? '1' : '0', exponent: lead + 1 };
}

/** The processor's own NaN is negative. */
function infiniteText(value: number): string {
  if (Number.isNaN(value)) return '-nan';
  return value > 0 ? 'inf' : '-inf';
}

function withoutZeros(text: string): string {
  const [mantissa = '', power] = text.split('e');
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  return power === undefined ? short : `${short}e${power}`;
}

const DECIMAL = /^[ \t-\r]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t-\r]*$/;
const HEXADECIMAL = /^[ \t-\r]*([+-]?)0[xX]([\da-fA-F]*)(?:\.([\da-fA-F]*))?(?:[pP]([+-]?\d+))?[ \t-\r]*$/;
const WORD = /^[ \t-\r]*([+-]?)(inf|infinity|nan)[ \t-\r]*$/i;

/** Reads a text as Lua reads a number. Returns undefined if it is none. */
export function numberIn(text: string): number | undefined {
  const { length } = text;
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(length - 1);
  if (first > 48 && first < 58 && last > 47 && last < 58) {
    const value = Number(text);
    if (!Number.isNaN(value)) return value;
  }
  return strangeNumberIn(text);
}

function strangeNumberIn(bytes: string): number | undefined {
  const end = bytes.indexOf('\0');
  const text = end < 0 ? bytes : bytes.slice(0, end);
  if (DECIMAL.test(text)) return Number(text);
  const hexadecimal = HEXADECIMAL.exec(text);
  if (hexadecimal) {
    const [, sign, whole = '', fraction = '', power = '0'] = hexadecimal;
    if (whole + fraction === '') return undefined;
    const digits = Number(BigInt(`0x${whole}${fraction}`)) / 16 ** fraction.length;
    return (sign === '-' ? -1 : 1) * digits * 2 ** Number(power);
  }
  const [, sign, word] = WORD.exec(text) ?? [];
  if (word === undefined) return undefined;
  if (word.toLowerCase() === 'nan') return Number.NaN;
  return sign === '-' ? -Infinity : Infinity;
}
