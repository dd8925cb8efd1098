import { fail, failArgument } from '../lua-error.js';
import type { LuaValue } from '../lua-value.js';
import { exponential, fixed, general } from '../number-text.js';
import { integerAt, numberAt, textAt } from './arguments.js';

/** A text of so many bytes is written as it is. */
const LONG = 100;

interface Specification {
  readonly flags: string;
  readonly width: number;
  /** Undefined if there is none. */
  readonly precision: number | undefined;
}

/** `string.format`. */
export function format(...args: LuaValue[]): string {
  const [pattern, first] = args;
  // Scripts write many whole numbers in this way.
  if (pattern === '%d' && typeof first === 'number' && Number.isSafeInteger(first)) return String(first);
  const template = textAt(args, 1, 'format');
  let all = '';
  let used = 1;
  for (let i = 0; i < template.length; i += 1) {
    const sign = template[i] as string;
    if (sign !== '%') {
      all += sign;
      continue;
    }
    i += 1;
    if (template[i] === '%') {
      all += '%';
      continue;
    }
    const [whole = '', flags = '', width = '', point, precision = ''] =
      /^([-+ #0]*)(\d*)(\.(\d*))?/.exec(template.slice(i)) ?? [];
    if (flags.length > 5) fail('invalid format (repeated flags)');
    if (width.length > 2 || precision.length > 2) fail('invalid format (width or precision too long)');
    i += whole.length;
    used += 1;
    if (args.length < used) failArgument(used, 'format', 'no value');
    const specification = {
      flags,
      width: Number(width),
      precision: point === undefined ? undefined : Number(precision),
    };
    all += converted(template[i] ?? '', specification, args, used);
  }
  return all;
}

function converted(kind: string, specification: Specification, args: readonly LuaValue[], position: number): string {
  switch (kind) {
    case 'd':
    case 'i':
      return padded(
        wholeText(integer(args, position), specification),
        specification,
        specification.precision === undefined,
      );
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return padded(
        unsignedText(BigInt.asUintN(64, unsigned(args, position)), kind, specification),
        specification,
        specification.precision === undefined,
      );
    case 'c':
      return beforeZero(padded(String.fromCharCode(integerAt(args, position, 'format') & 0xff), specification, false));
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G': {
      const value = numberAt(args, position, 'format');
      return padded(floatText(value, kind, specification), specification, Number.isFinite(value));
    }
    case 'q':
      return quoted(textAt(args, position, 'format'));
    case 's': {
      const text = textAt(args, position, 'format');
      const { precision } = specification;
      if (precision === undefined && text.length >= LONG) return text;
      return padded(beforeZero(text).slice(0, precision), specification, false);
    }
    default:
      return fail(`invalid option '%${kind}' to 'format'`);
  }
}

const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];

/** As C makes a whole number of 64 bits of a double: what does not fit becomes the least one. */
function integer(args: readonly LuaValue[], position: number): bigint {
  const value = numberAt(args, position, 'format');
  if (!Number.isFinite(value)) return LEAST;
  const whole = BigInt(Math.trunc(value));
  return whole < LEAST || whole > MOST ? LEAST : whole;
}

function unsigned(args: readonly LuaValue[], position: number): bigint {
  const value = numberAt(args, position, 'format');
  if (!Number.isFinite(value)) return value > 0 ? 0n : 2n ** 63n;
  const whole = BigInt(Math.trunc(value));
  if (whole < LEAST) return 2n ** 63n;
  return whole >= 2n ** 64n ? 0n : whole;
}

function wholeText(value: bigint, { flags, precision = 1 }: Specification): string {
  const digits = precision === 0 && value === 0n ? '' : String(value < 0n ? -value : value).padStart(precision, '0');
  return signOf(value < 0n, flags) + digits;
}

function unsignedText(value: bigint, kind: string, { flags, precision = 1 }: Specification): string {
  const text = value.toString(kind === 'o' ? 8 : kind === 'u' ? 10 : 16);
  const digits = precision === 0 && value === 0n ? '' : text.padStart(precision, '0');
  if (!flags.includes('#') || (value === 0n && kind !== 'o')) return kind === 'X' ? digits.toUpperCase() : digits;
  if (kind === 'o') return digits.startsWith('0') ? digits : `0${digits}`;
  if (kind === 'u') return digits;
  return kind === 'x' ? `0x${digits}` : `0X${digits.toUpperCase()}`;
}

function floatText(value: number, kind: string, { flags, precision = 6 }: Specification): string {
  const write = kind === 'f' ? fixed : kind.toLowerCase() === 'e' ? exponential : general;
  const text = write(value, precision, flags.includes('#'));
  const signed = text.startsWith('-') ? text : signOf(false, flags) + text;
  return kind === 'E' || kind === 'G' ? signed.toUpperCase() : signed;
}

function signOf(isNegative: boolean, flags: string): string {
  if (isNegative) return '-';
  return flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
}

/** Fills a text up to its width: on the right, with zeros after the sign, or on the left. */
function padded(text: string, { flags, width }: Specification, mayHaveZeros: boolean): string {
  if (flags.includes('-')) return text.padEnd(width);
  if (!flags.includes('0') || !mayHaveZeros) return text.padStart(width);
  const [sign = ''] = /^[-+ ]?(0[xX])?/.exec(text) ?? [];
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

/** C's texts end at a zero. */
function beforeZero(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

function quoted(text: string): string {
  const inside = text.replace(/["\\\n\r\0]/g, (sign) => {
    if (sign === '\r') return '\\r';
    return sign === '\0' ? '\\000' : `\\${sign}`;
  });
  return `"${inside}"`;
}
