import { iterationOf } from '../iterate.js';
import { LuaTable } from '../lua-table.js';
import type { LuaFunction, LuaValue } from '../lua-value.js';
import { setStringMethods } from '../operations.js';
import { BASIC, iterators } from './basic.js';
import { CJSON, NULL } from './cjson.js';
import { CMSGPACK } from './cmsgpack.js';
import { BIT, MATH, MATH_CONSTANTS } from './math.js';
import { STRING } from './string.js';
import { STRUCT } from './struct.js';
import { TABLE } from './table.js';

const libraries = {
  string: STRING,
  table: TABLE,
  math: MATH,
  struct: STRUCT,
  cmsgpack: CMSGPACK,
  cjson: CJSON,
  bit: BIT,
} as const;

const CONSTANTS: Readonly<Record<string, Readonly<Record<string, LuaValue>>>> = {
  math: MATH_CONSTANTS,
  cjson: { null: NULL },
};

function protectedTable(fields: Readonly<Record<string, LuaValue>>): LuaTable {
  const table = LuaTable.ofFields(fields);
  table.isReadonly = true;
  return table;
}

const tables: Record<string, LuaTable> = {};
const functions = new Map<string, LuaFunction>(Object.entries(BASIC));
for (const [library, own] of Object.entries(libraries)) {
  tables[library] = protectedTable({ ...own, ...CONSTANTS[library] });
  for (const [name, call] of Object.entries(own)) functions.set(`${library}.${name}`, call);
}
setStringMethods(tables.string as LuaTable);

/** What Lua and Redis give to every script: functions by their full names, and the tables in which they are. */
export const LIBRARY = { tables, functions } as const;

/** How a loop goes over what stands after its `in`. */
export const iterate = (values: readonly LuaValue[]): ReturnType<typeof iterationOf> => iterationOf(values, iterators);
