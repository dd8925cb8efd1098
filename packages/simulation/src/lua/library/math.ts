import type { LuaFunction, LuaValue } from '../lua-value.js';
import { power } from '../operations.js';
import { integerAt, numberAt } from './arguments.js';

const one =
  (name: string, compute: (value: number) => number): LuaFunction =>
  (...args) =>
    compute(numberAt(args, 1, name));

/** As Lua compares them: unlike in JavaScript, what is no number is neither larger nor smaller. */
const larger = (one: number, other: number): number => {
  if (other > one) return other;
  return one;
};

const smaller = (one: number, other: number): number => {
  if (other < one) return other;
  return one;
};

function most(...args: LuaValue[]): number {
  const [first, second] = args;
  if (args.length === 2 && typeof first === 'number' && typeof second === 'number') return larger(first, second);
  let found = numberAt(args, 1, 'max');
  for (let i = 2; i <= args.length; i += 1) {
    const value = numberAt(args, i, 'max');
    if (value > found) found = value;
  }
  return found;
}

function least(...args: LuaValue[]): number {
  const [first, second] = args;
  if (args.length === 2 && typeof first === 'number' && typeof second === 'number') return smaller(first, second);
  let found = numberAt(args, 1, 'min');
  for (let i = 2; i <= args.length; i += 1) {
    const value = numberAt(args, i, 'min');
    if (value < found) found = value;
  }
  return found;
}

/** The mantissa of a number, from 0.5 to 1, and its power of two. */
function mantissaOf(value: number): readonly [number, number] {
  if (value === 0 || !Number.isFinite(value)) return [value, 0];
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(value))) + 1);
  let mantissa = value * 2 ** -exponent;
  while (Math.abs(mantissa) < 0.5) {
    mantissa *= 2;
    exponent -= 1;
  }
  while (Math.abs(mantissa) >= 1) {
    mantissa /= 2;
    exponent += 1;
  }
  return [mantissa, exponent];
}

function random(): never {
  throw new Error('A script uses math.random, which is not simulated');
}

const remainder: LuaFunction = (...args) => numberAt(args, 1, 'fmod') % numberAt(args, 2, 'fmod');

export const MATH: Readonly<Record<string, LuaFunction>> = {
  abs: one('abs', Math.abs),
  acos: one('acos', Math.acos),
  asin: one('asin', Math.asin),
  atan: one('atan', Math.atan),
  atan2: (...args) => Math.atan2(numberAt(args, 1, 'atan2'), numberAt(args, 2, 'atan2')),
  ceil: one('ceil', Math.ceil),
  cos: one('cos', Math.cos),
  cosh: one('cosh', Math.cosh),
  deg: one('deg', (value) => value / (Math.PI / 180)),
  exp: one('exp', Math.exp),
  floor: one('floor', Math.floor),
  fmod: remainder,
  frexp: (...args) => mantissaOf(numberAt(args, 1, 'frexp')),
  ldexp: (...args) => numberAt(args, 1, 'ldexp') * 2 ** integerAt(args, 2, 'ldexp'),
  log: one('log', Math.log),
  log10: one('log10', Math.log10),
  max: most,
  min: least,
  mod: remainder,
  modf(...args) {
    const value = numberAt(args, 1, 'modf');
    const whole = Math.trunc(value);
    if (Number.isNaN(value)) return [value, value];
    const fraction = Number.isFinite(value) ? Math.abs(value - whole) : 0;
    return [whole, value < 0 || Object.is(value, -0) ? -fraction : fraction];
  },
  pow: (...args) => power(numberAt(args, 1, 'pow'), numberAt(args, 2, 'pow'), '', ''),
  rad: one('rad', (value) => value * (Math.PI / 180)),
  random,
  randomseed: random,
  sin: one('sin', Math.sin),
  sinh: one('sinh', Math.sinh),
  sqrt: one('sqrt', Math.sqrt),
  tan: one('tan', Math.tan),
  tanh: one('tanh', Math.tanh),
};

export const MATH_CONSTANTS = { huge: Infinity, pi: Math.PI } as const;

const SUM = new Float64Array(1);
const LOW_BITS = new Int32Array(SUM.buffer);

/** So large a number that a sum with it has no fraction, and ends in the bits of the whole number. */
const NO_FRACTION = 6_755_399_441_055_744;

/** A number as 32 bits, for operations like LuaJIT's. */
function bits(args: readonly LuaValue[], position: number, name: string): number {
  SUM[0] = numberAt(args, position, name) + NO_FRACTION;
  return LOW_BITS[0] as number;
}

const fold =
  (name: string, combine: (a: number, b: number) => number): LuaFunction =>
  (...args) => {
    let all = bits(args, 1, name);
    for (let i = 2; i <= args.length; i += 1) all = combine(all, bits(args, i, name));
    return all;
  };

const shift =
  (name: string, move: (value: number, by: number) => number): LuaFunction =>
  (...args) =>
    move(bits(args, 1, name), bits(args, 2, name) & 31) | 0;

const swapped = (value: number): number =>
  (value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24);

export const BIT: Readonly<Record<string, LuaFunction>> = {
  arshift: shift('arshift', (value, by) => value >> by),
  band: fold('band', (a, b) => a & b),
  bnot: (...args) => ~bits(args, 1, 'bnot'),
  bor: fold('bor', (a, b) => a | b),
  bswap: (...args) => swapped(bits(args, 1, 'bswap')) | 0,
  bxor: fold('bxor', (a, b) => a ^ b),
  lshift: shift('lshift', (value, by) => value << by),
  rol: shift('rol', (value, by) => (value << by) | (value >>> ((32 - by) & 31))),
  ror: shift('ror', (value, by) => (value >>> by) | (value << ((32 - by) & 31))),
  rshift: shift('rshift', (value, by) => value >>> by),
  tobit: (...args) => bits(args, 1, 'tobit'),
  tohex(...args) {
    const value = bits(args, 1, 'tohex') >>> 0;
    const count = args.length < 2 ? 8 : bits(args, 2, 'tohex');
    const text = value
      .toString(16)
      .padStart(8, '0')
      .slice(-Math.min(8, Math.abs(count)) || 8);
    const cut = count === 0 ? '' : text;
    return count < 0 ? cut.toUpperCase() : cut;
  },
};
