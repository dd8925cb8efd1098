import { fail, failArgument, raise } from '../lua-error.js';
import { LuaTable } from '../lua-table.js';
import type { LuaFunction, LuaResult, LuaValue } from '../lua-value.js';
import { integerAt, textAt } from './arguments.js';

/** The deepest table that is packed. What is deeper becomes nil. */
const DEEPEST = 16;

const VIEW = new DataView(new ArrayBuffer(8));

const bytes = (...codes: number[]): string => String.fromCharCode(...codes);

/** The bytes of the view, the highest first. */
function viewed(count: number): string {
  let all = '';
  for (let i = 0; i < count; i += 1) all += bytes(VIEW.getUint8(i));
  return all;
}

function bigEndian(value: number, count: number): string {
  VIEW.setBigInt64(0, BigInt(value));
  return viewed(8).slice(8 - count);
}

function packedLength(count: number, short: number, most: number, codes: readonly [number, number]): string {
  if (count <= most) return bytes(short | count);
  return count <= 0xffff ? bytes(codes[0], count >> 8, count & 255) : bytes(codes[1]) + bigEndian(count, 4);
}

function packedText(text: string): string {
  const { length } = text;
  if (length > 31 && length <= 255) return bytes(0xd9, length) + text;
  return packedLength(length, 0xa0, 31, [0xda, 0xdb]) + text;
}

/** Whole numbers of 64 bits are integers. Of others, those that a float has exactly are floats. */
function packedNumber(value: number): string {
  if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63) return packedInteger(value);
  if (Math.fround(value) === value) {
    VIEW.setFloat32(0, value);
    return bytes(0xca) + viewed(4);
  }
  VIEW.setFloat64(0, value);
  return bytes(0xcb) + viewed(8);
}

function packedInteger(value: number): string {
  if (value >= 0) {
    if (value <= 127) return bytes(value);
    if (value <= 0xff) return bytes(0xcc, value);
    if (value <= 0xffff) return bytes(0xcd) + bigEndian(value, 2);
    return value <= 0xffffffff ? bytes(0xce) + bigEndian(value, 4) : bytes(0xcf) + bigEndian(value, 8);
  }
  if (value >= -32) return bytes(value & 255);
  if (value >= -128) return bytes(0xd0, value & 255);
  if (value >= -32768) return bytes(0xd1) + bigEndian(value, 2);
  return value >= -(2 ** 31) ? bytes(0xd2) + bigEndian(value, 4) : bytes(0xd3) + bigEndian(value, 8);
}

/** Whether the keys of a table are 1, 2, 3 ... without a gap. */
function isList(table: LuaTable): boolean {
  let [count, most] = [0, 0];
  for (const walk = table.walk(); walk.step(); ) {
    const { key } = walk;
    if (typeof key !== 'number' || key <= 0 || !Number.isInteger(key) || key >= 2 ** 31) return false;
    count += 1;
    most = Math.max(most, key);
  }
  return count === most;
}

function packedTable(table: LuaTable, depth: number): string {
  if (isList(table)) {
    const { length } = table;
    let all = packedLength(length, 0x90, 15, [0xdc, 0xdd]);
    for (let i = 1; i <= length; i += 1) all += packed(table.get(i), depth + 1);
    return all;
  }
  let [all, count] = ['', 0];
  for (const walk = table.walk(); walk.step(); ) {
    all += packed(walk.key, depth + 1) + packed(walk.value, depth + 1);
    count += 1;
  }
  return packedLength(count, 0x80, 15, [0xde, 0xdf]) + all;
}

function packed(value: LuaValue, depth: number): string {
  switch (typeof value) {
    case 'string':
      return packedText(value);
    case 'number':
      return packedNumber(value);
    case 'boolean':
      return bytes(value ? 0xc3 : 0xc2);
    default:
      return value instanceof LuaTable && depth < DEEPEST ? packedTable(value, depth) : bytes(0xc0);
  }
}

/** Reads values one after another. */
class Reader {
  at: number;
  readonly #text: string;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#text.length;
  }

  value(): LuaValue {
    const kind = this.#unsigned(1);
    if (kind < 0x80) return kind;
    if (kind >= 0xe0) return kind - 256;
    if (kind < 0x90) return this.#map(kind & 15);
    if (kind < 0xa0) return this.#list(kind & 15);
    if (kind < 0xc0) return this.#bytes(kind & 31);
    switch (kind) {
      case 0xc0:
        return undefined;
      case 0xc2:
      case 0xc3:
        return kind === 0xc3;
      case 0xca:
        this.#view(4);
        return VIEW.getFloat32(0);
      case 0xcb:
        this.#view(8);
        return VIEW.getFloat64(0);
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return this.#unsigned(2 ** (kind - 0xcc));
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        return this.#signed(2 ** (kind - 0xd0));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#bytes(this.#unsigned(2 ** (kind - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#list(this.#unsigned(2 ** (kind - 0xdb)));
      case 0xde:
      case 0xdf:
        return this.#map(this.#unsigned(2 ** (kind - 0xdd)));
      default:
        return fail('Bad data format in input.');
    }
  }

  #bytes(count: number): string {
    if (this.at + count > this.#text.length) return fail('Missing bytes in input.');
    this.at += count;
    return this.#text.slice(this.at - count, this.at);
  }

  #view(count: number): void {
    const own = this.#bytes(count);
    for (let i = 0; i < count; i += 1) VIEW.setUint8(i, own.charCodeAt(i));
  }

  #unsigned(count: number): number {
    const own = this.#bytes(count);
    // Unsigned numbers of 64 bits are read as signed ones: Lua's whole numbers are.
    if (count === 8) return this.#whole(own);
    let all = 0;
    for (let i = 0; i < count; i += 1) all = all * 256 + own.charCodeAt(i);
    return all;
  }

  #signed(count: number): number {
    if (count === 8) return this.#whole(this.#bytes(count));
    const value = this.#unsigned(count);
    return value >= 2 ** (8 * count - 1) ? value - 2 ** (8 * count) : value;
  }

  #whole(own: string): number {
    for (let i = 0; i < 8; i += 1) VIEW.setUint8(i, own.charCodeAt(i));
    return Number(VIEW.getBigInt64(0));
  }

  #list(count: number): LuaTable {
    const table = new LuaTable();
    for (let i = 1; i <= count; i += 1) table.set(i, this.value());
    return table;
  }

  #map(count: number): LuaTable {
    const table = new LuaTable();
    for (let i = 0; i < count; i += 1) {
      const key = this.value();
      const value = this.value();
      if (key === undefined || Number.isNaN(key)) return raise(`table index is ${key === undefined ? 'nil' : 'NaN'}`);
      table.set(key, value);
    }
    return table;
  }
}

function pack(...args: LuaValue[]): LuaResult {
  if (args.length === 0) return failArgument(0, 'pack', 'MessagePack pack needs input.');
  let all = '';
  for (const value of args) all += packed(value, 0);
  return all;
}

function unpack(...args: LuaValue[]): LuaResult {
  const reader = new Reader(textAt(args, 1, 'unpack'), 0);
  const values: LuaValue[] = [];
  while (!reader.isAtEnd) values.push(reader.value());
  return values;
}

/** Unpacks so many values from an offset on, and returns before them where to go on: -1 at the end. */
function unpackSome(text: string, limit: number, offset: number): LuaResult {
  if (offset < 0 || limit < 0)
    return fail(`Invalid request to unpack with offset of ${offset} and limit of ${text.length}.`);
  if (offset > text.length) return fail(`Start offset ${offset} greater than input length ${text.length}.`);
  if (limit === 0 && offset === 0) return unpack(text);
  const reader = new Reader(text, offset);
  const values: LuaValue[] = [];
  while (!reader.isAtEnd && values.length < limit) values.push(reader.value());
  return [reader.isAtEnd ? -1 : reader.at, ...values];
}

export const CMSGPACK: Readonly<Record<string, LuaFunction>> = {
  pack,
  unpack,
  unpack_limit: (...args) =>
    unpackSome(
      textAt(args, 1, 'unpack_limit'),
      integerAt(args, 2, 'unpack_limit'),
      integerAt(args, 3, 'unpack_limit', 0),
    ),
  unpack_one: (...args) => unpackSome(textAt(args, 1, 'unpack_one'), 1, integerAt(args, 2, 'unpack_one', 0)),
};
