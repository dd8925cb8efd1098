import type { LuaTable } from './lua-table.js';

/** A value of Lua. Nil is `undefined`, a string has one character per byte, and nothing else is ever an array. */
export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction | LuaUserdata;

/** What a function returns: one value as it is, and none or several as an array. */
export type LuaResult = LuaValue | readonly LuaValue[];

export type LuaFunction = (...args: LuaValue[]) => LuaResult;

/** A value that Lua can only pass on and compare, like `cjson.null`. */
export class LuaUserdata {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The result of a function that returns nothing. */
export const NONE: readonly LuaValue[] = Object.freeze([]);

/** Returns the first of the results of a call: nil if there are none. */
export function firstOf(result: LuaResult): LuaValue {
  return Array.isArray(result) ? result[0] : (result as LuaValue);
}

/** Returns all results of a call. */
export function allOf(result: LuaResult): readonly LuaValue[] {
  return Array.isArray(result) ? result : [result as LuaValue];
}

/** Returns the name of a value's type, as Lua's `type` does. */
export function typeName(value: LuaValue): string {
  switch (typeof value) {
    case 'undefined':
      return 'nil';
    case 'object':
      return value instanceof LuaUserdata ? 'userdata' : 'table';
    default:
      return typeof value;
  }
}
