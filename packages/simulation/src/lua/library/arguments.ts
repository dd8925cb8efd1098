/** Checks arguments of library functions as Lua's own library does. Positions count from 1. */
import { failArgument } from '../lua-error.js';
import { LuaTable } from '../lua-table.js';
import { type LuaValue, typeName } from '../lua-value.js';
import { toNumber, toText } from '../operations.js';

type Values = readonly LuaValue[];

export function numberAt(args: Values, position: number, name: string): number {
  return toNumber(args[position - 1]) ?? failType(args, position, name, 'number');
}

/** A number without its fraction. */
export function integerAt(args: Values, position: number, name: string, absent?: number): number {
  const value = args[position - 1];
  if (value === undefined && absent !== undefined) return absent;
  const number = Math.trunc(toNumber(value) ?? failType(args, position, name, 'number'));
  return Number.isNaN(number) ? -(2 ** 63) : number;
}

export function textAt(args: Values, position: number, name: string): string {
  return toText(args[position - 1]) ?? failType(args, position, name, 'string');
}

export function tableAt(args: Values, position: number, name: string): LuaTable {
  const value = args[position - 1];
  return value instanceof LuaTable ? value : failType(args, position, name, 'table');
}

export function anyAt(args: Values, position: number, name: string): LuaValue {
  return args.length < position ? failArgument(position, name, 'value expected') : args[position - 1];
}

export function failType(args: Values, position: number, name: string, expected: string): never {
  const got = args.length < position ? 'no value' : typeName(args[position - 1]);
  return failArgument(position, name, `${expected} expected, got ${got}`);
}
