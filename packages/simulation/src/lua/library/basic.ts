import { fail, failArgument, LuaError, raise, raiseAt } from '../lua-error.js';
import { LuaTable } from '../lua-table.js';
import { allOf, type LuaFunction, type LuaResult, LuaUserdata, type LuaValue, NONE, typeName } from '../lua-value.js';
import { numberText } from '../number-text.js';
import { notCallable, toNumber } from '../operations.js';
import { anyAt, failType, integerAt, tableAt, textAt } from './arguments.js';

/** The most values that a function can return at once: Lua's own bound is that of its stack. */
const MOST_VALUES = 7999;

const ids = new WeakMap<object, string>();

/** A text that differs from object to object. Redis shows addresses, which no two runs have in common. */
function idOf(value: object): string {
  let id = ids.get(value);
  if (id === undefined) {
    id = `0x${Math.abs(Math.imul(idsGiven, 0x9e3779b1)).toString(16).padStart(12, '0')}`;
    idsGiven += 1;
    ids.set(value, id);
  }
  return id;
}

let idsGiven = 1;

export function textOf(value: LuaValue): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return numberText(value);
    case 'undefined':
      return 'nil';
    case 'boolean':
      return String(value);
    default:
      return value instanceof LuaUserdata ? 'userdata: (nil)' : `${typeName(value)}: ${idOf(value)}`;
  }
}

/** What a caught error is: of an error in the form of Redis, its text. Anything that no script raised goes on. */
function caught(error: unknown): LuaValue {
  if (error instanceof RangeError) return 'stack overflow';
  if (!(error instanceof LuaError)) throw error;
  const { value } = error;
  const text = value instanceof LuaTable ? value.getString('err') : undefined;
  return typeof text === 'string' || typeof text === 'number' ? text : value;
}

const next: LuaFunction = (...args) => {
  const [, key] = args;
  return tableAt(args, 1, 'next').next(key);
};

const nextIndex: LuaFunction = (table, index) => {
  const after = (index as number) + 1;
  const value = (table as LuaTable).get(after);
  return value === undefined ? undefined : [after, value];
};

export const iterators = { next, nextIndex };

/** Has this name because a protected call is found by it on the stack. */
const luaPcall: LuaFunction = (call, ...args) => {
  try {
    const result = (typeof call === 'function' ? call : notCallable(call, ''))(...args);
    return Array.isArray(result) ? [true, ...result] : [true, result as LuaValue];
  } catch (error) {
    return [false, caught(error)];
  }
};

function protectedCall(...args: LuaValue[]): LuaResult {
  return args.length === 0 ? failArgument(1, 'pcall', 'value expected') : luaPcall(...args);
}

function select(...args: LuaValue[]): LuaResult {
  const [first, ...rest] = args;
  if (typeof first === 'string' && first.startsWith('#')) return rest.length;
  const index = integerAt(args, 1, 'select');
  const from = index < 0 ? rest.length + index : index - 1;
  if (from < 0) return failArgument(1, 'select', 'index out of range');
  return rest.slice(from);
}

function tonumber(...args: LuaValue[]): LuaValue {
  const [value, base] = args;
  if (base === undefined || base === 10) {
    if (value === undefined) anyAt(args, 1, 'tonumber');
    return toNumber(value);
  }
  const radix = integerAt(args, 2, 'tonumber');
  const text = textAt(args, 1, 'tonumber');
  if (radix < 2 || radix > 36) return failArgument(2, 'tonumber', 'base out of range');
  return wholeNumberIn(text, radix);
}

/** Reads digits of a base as C's `strtoul` does. */
function wholeNumberIn(text: string, radix: number): number | undefined {
  const [, sign, prefix, digits = ''] = /^[ \t-\r]*([+-]?)(0[xX])?([\da-zA-Z]*)[ \t-\r]*$/.exec(text) ?? [];
  const own = prefix !== undefined && radix !== 16 ? `${prefix}${digits}` : digits;
  if (own === '') return undefined;
  let value = 0n;
  for (const digit of own) {
    const worth = Number.parseInt(digit, 36);
    if (worth >= radix) return undefined;
    value = value * BigInt(radix) + BigInt(worth);
  }
  if (value > 2n ** 64n - 1n) value = 2n ** 64n - 1n;
  return Number(sign === '-' ? BigInt.asUintN(64, -value) : value);
}

function unpack(...args: LuaValue[]): LuaResult {
  const list = tableAt(args, 1, 'unpack');
  const from = integerAt(args, 2, 'unpack', 1);
  const to = integerAt(args, 3, 'unpack', list.length);
  if (from > to) return NONE;
  const count = to - from + 1;
  if (count > MOST_VALUES) return fail('too many results to unpack');
  if (from === 1 && to <= list.length) return list.list.slice(0, to);
  return Array.from({ length: count }, (_, i) => list.get(from + i));
}

export const BASIC: Readonly<Record<string, LuaFunction>> = {
  assert(...args) {
    const value = anyAt(args, 1, 'assert');
    if (value !== undefined && value !== false) return args;
    if (args[1] !== undefined) return fail(textAt(args, 2, 'assert'));
    return fail('assertion failed!');
  },
  error(...args) {
    const [value] = args;
    const level = integerAt(args, 2, 'error', 1);
    return level > 0 ? raiseAt(value, level) : raise(value);
  },
  ipairs: (...args) => [nextIndex, tableAt(args, 1, 'ipairs'), 0],
  next,
  pairs: (...args) => [next, tableAt(args, 1, 'pairs'), undefined],
  pcall: protectedCall,
  rawequal: (one, other) => one === other,
  rawget: (...args) => tableAt(args, 1, 'rawget').get(args[1]),
  rawset(...args) {
    const table = tableAt(args, 1, 'rawset');
    table.set(args[1], args[2]);
    return table;
  },
  select,
  tonumber,
  tostring: (...args) => textOf(anyAt(args, 1, 'tostring')),
  type(...args) {
    return args.length === 0 ? failArgument(1, 'type', 'value expected') : typeName(args[0]);
  },
  unpack,
  xpcall(...args) {
    const [call, handler] = args;
    if (args.length < 2) return failArgument(2, 'xpcall', 'value expected');
    const result = luaPcall(call);
    const [isDone, value] = allOf(result);
    if (isDone === true) return result;
    if (typeof handler !== 'function') return failType(args, 2, 'xpcall', 'function');
    return [false, ...allOf(handler(value))];
  },
};
