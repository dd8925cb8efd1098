/** What Lua's operators do, apart from the cases that the compiler writes out. A name says how the script calls a value, for errors. */
import { fail } from './lua-error.js';
import { LuaTable } from './lua-table.js';
import { type LuaFunction, type LuaValue, typeName } from './lua-value.js';
import { numberIn, numberText } from './number-text.js';

/** Returns the number that a value is or, as a text, stands for; undefined if there is none. */
export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? numberIn(value) : undefined;
}

/** Returns the text that a value is or, as a number, is written as; undefined if there is none. */
export function toText(value: LuaValue): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? numberText(value) : undefined;
}

function failAt(action: string, value: LuaValue, name: string): never {
  return fail(
    `attempt to ${action} ${name === '' ? '' : `${name} (`}a ${typeName(value)} value${name === '' ? '' : ')'}`,
  );
}

/** Both numbers of an operation. */
function operands(a: LuaValue, b: LuaValue, nameA: string, nameB: string): readonly [number, number] {
  const left = toNumber(a);
  const right = toNumber(b);
  if (left === undefined) return failAt('perform arithmetic on', a, nameA);
  if (right === undefined) return failAt('perform arithmetic on', b, nameB);
  return [left, right];
}

export function add(a: LuaValue, b: LuaValue, nameA: string, nameB: string): number {
  const [left, right] = operands(a, b, nameA, nameB);
  return left + right;
}

export function subtract(a: LuaValue, b: LuaValue, nameA: string, nameB: string): number {
  const [left, right] = operands(a, b, nameA, nameB);
  return left - right;
}

export function multiply(a: LuaValue, b: LuaValue, nameA: string, nameB: string): number {
  const [left, right] = operands(a, b, nameA, nameB);
  return left * right;
}

export function divide(a: LuaValue, b: LuaValue, nameA: string, nameB: string): number {
  const [left, right] = operands(a, b, nameA, nameB);
  return left / right;
}

export function modulo(a: LuaValue, b: LuaValue, nameA: string, nameB: string): number {
  const [left, right] = operands(a, b, nameA, nameB);
  return left - Math.floor(left / right) * right;
}

export function power(a: LuaValue, b: LuaValue, nameA: string, nameB: string): number {
  const [left, right] = operands(a, b, nameA, nameB);
  // C takes 1 to any power for 1, and -1 to an infinite one.
  if (left === 1 || ((left === -1 || left === 1) && Math.abs(right) === Infinity)) return 1;
  return left ** right;
}

export function negate(value: LuaValue, name: string): number {
  const number = toNumber(value);
  return number === undefined ? failAt('perform arithmetic on', value, name) : -number;
}

export function concat(a: LuaValue, b: LuaValue, nameA: string, nameB: string): string {
  const left = toText(a);
  const right = toText(b);
  // Lua looks at the right one first.
  if (left === undefined || (right === undefined && left === undefined)) return failAt('concatenate', a, nameA);
  if (right === undefined) return failAt('concatenate', b, nameB);
  return left + right;
}

export function lengthOf(value: LuaValue, name: string): number {
  if (typeof value === 'string' || value instanceof LuaTable) return value.length;
  return failAt('get length of', value, name);
}

export function isLess(a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'string' && typeof b === 'string') return a < b;
  return failComparison(a, b);
}

export function isLessOrEqual(a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a <= b;
  if (typeof a === 'string' && typeof b === 'string') return a <= b;
  return failComparison(a, b);
}

function failComparison(a: LuaValue, b: LuaValue): never {
  const [left, right] = [typeName(a), typeName(b)];
  if (left === right) return fail(`attempt to compare two ${left} values`);
  return fail(`attempt to compare ${left} with ${right}`);
}

let stringMethods: LuaTable | undefined;

/** Sets the functions that are found as methods of strings. */
export function setStringMethods(methods: LuaTable): void {
  stringMethods = methods;
}

export function index(value: LuaValue, key: LuaValue, name: string): LuaValue {
  if (value instanceof LuaTable) return value.get(key);
  if (typeof value === 'string') return stringMethods?.get(key);
  return failAt('index', value, name);
}

export function setIndex(table: LuaValue, key: LuaValue, value: LuaValue, name: string): void {
  if (table instanceof LuaTable) table.set(key, value);
  else failAt('index', table, name);
}

/** Returns what a call finds in the place of a function; there are no values that can be called but functions. */
export function notCallable(value: LuaValue, name: string): LuaFunction {
  return failAt('call', value, name);
}

/** The start, the end or the step of a loop. */
export function loopNumber(value: LuaValue, part: 'initial' | 'limit' | 'step'): number {
  const number = toNumber(value);
  if (number !== undefined) return number;
  return fail(`'for' ${part}${part === 'initial' ? ' value' : ''} must be a number`);
}
