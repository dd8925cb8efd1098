import { fail } from '../lua-error.js';
import { LuaTable } from '../lua-table.js';
import { type LuaFunction, type LuaResult, LuaUserdata, type LuaValue, typeName } from '../lua-value.js';
import { withDigits } from '../number-text.js';
import { textAt } from './arguments.js';
import { decodedJson } from './json-reader.js';

/** What stands for null in a table, where nil would be nothing. */
export const NULL = new LuaUserdata('null');

const DEEPEST = 1000;

/** A list may have gaps, but a long one not many more than entries. */
const [MOST_SPARSE, SPARSE_RATIO] = [10, 2];

const PRECISION = 14;

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be escaped.
  const inside = text.replace(/["\\/\x00-\x1f\x7f]/g, (sign) => {
    const code = sign.charCodeAt(0).toString(16).padStart(4, '0');
    return ESCAPES[sign] ?? `\\u${code}`;
  });
  return `"${inside}"`;
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) return fail('Cannot serialise number: must not be NaN or Inf');
  return withDigits(value, PRECISION);
}

/** The length of a table whose keys are all whole numbers from 1 on; undefined for any other. */
function listLength(table: LuaTable): number | undefined {
  let [most, count] = [0, 0];
  for (const walk = table.walk(); walk.step(); ) {
    const { key } = walk;
    if (typeof key !== 'number' || !Number.isInteger(key) || key < 1) return undefined;
    most = Math.max(most, key);
    count += 1;
  }
  if (most > count * SPARSE_RATIO && most > MOST_SPARSE)
    return fail('Cannot serialise table: excessively sparse array');
  return most;
}

function encodedTable(table: LuaTable, depth: number): string {
  if (depth > DEEPEST) return fail(`Cannot serialise, excessive nesting (${depth})`);
  const length = listLength(table);
  if (length !== undefined && length > 0) {
    const values = Array.from({ length }, (_, i) => encoded(table.get(i + 1), depth));
    return `[${values.join()}]`;
  }
  const fields: string[] = [];
  for (const walk = table.walk(); walk.step(); ) {
    const { key } = walk;
    if (typeof key !== 'string' && typeof key !== 'number')
      return fail(`Cannot serialise ${typeName(key)}: table key must be a number or string`);
    const name = typeof key === 'number' ? `"${numberText(key)}"` : quoted(key);
    fields.push(`${name}:${encoded(walk.value, depth)}`);
  }
  return `{${fields.join()}}`;
}

function encoded(value: LuaValue, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      return numberText(value);
    case 'boolean':
      return String(value);
    case 'undefined':
      return 'null';
    default:
      if (value === NULL) return 'null';
      if (value instanceof LuaTable) return encodedTable(value, depth + 1);
      return fail(`Cannot serialise ${typeName(value)}: type not supported`);
  }
}

function encode(...args: LuaValue[]): LuaResult {
  if (args.length !== 1) return fail("bad argument #1 to 'encode' (expected 1 argument)");
  return encoded(args[0], 0);
}

function decode(...args: LuaValue[]): LuaResult {
  if (args.length !== 1) return fail("bad argument #1 to 'decode' (expected 1 argument)");
  return decodedJson(textAt(args, 1, 'decode'), NULL);
}

export const CJSON: Readonly<Record<string, LuaFunction>> = { decode, encode };
