import { fail, failArgument } from '../lua-error.js';
import type { LuaFunction, LuaResult, LuaValue } from '../lua-value.js';
import { integerAt, numberAt, textAt } from './arguments.js';
import { paddingAt, type StructItem, structItems } from './struct-format.js';

type Pack = (args: readonly LuaValue[]) => string;
type Unpack = (data: string, position: number) => readonly LuaValue[];

const packs = new Map<string, Pack>();
const unpacks = new Map<string, Unpack>();

const DOUBLE = new Float64Array(1);
const FLOAT = new Float32Array(1);
const BYTES_OF_DOUBLE = new Uint8Array(DOUBLE.buffer);
const BYTES_OF_FLOAT = new Uint8Array(FLOAT.buffer);

function pack(...args: LuaValue[]): LuaResult {
  const [format] = args;
  let packer = packs.get(format as string);
  if (!packer) {
    packer = packOf(structItems(textAt(args, 1, 'pack'), 'pack'));
    packs.set(format as string, packer);
  }
  return packer(args);
}

function unpack(...args: LuaValue[]): LuaResult {
  const [format, data, position] = args;
  let unpacker = unpacks.get(format as string);
  if (!unpacker) {
    unpacker = unpackOf(structItems(textAt(args, 1, 'unpack'), 'unpack'));
    unpacks.set(format as string, unpacker);
  }
  if (typeof data === 'string' && position === undefined) return unpacker(data, 0);
  const text = textAt(args, 2, 'unpack');
  const first = integerAt(args, 3, 'unpack', 1);
  // C reads the number without a sign, so a negative one is far behind the end.
  if (first === 0) return failArgument(3, 'unpack', 'offset must be 1 or greater');
  return unpacker(text, first < 0 ? Infinity : first - 1);
}

function size(...args: LuaValue[]): LuaResult {
  let position = 0;
  for (const item of structItems(textAt(args, 1, 'size'), 'size')) {
    if (typeof item === 'function') return item();
    if (item.kind === 'terminated') return failArgument(1, 'size', "option 's' has no fixed size");
    if (item.kind === 'chars' && item.size === 0) return failArgument(1, 'size', "option 'c0' has no fixed size");
    position += paddingAt(position, item) + item.size;
  }
  return position;
}

export const STRUCT: Readonly<Record<string, LuaFunction>> = { pack, size, unpack };

/** A number as the one with the same bytes within the range of whole numbers of 64 bits, as C converts it. */
function wholeAt(args: readonly LuaValue[], position: number): number {
  const value = numberAt(args, position, 'pack');
  if (value > -(2 ** 63) && value < 2 ** 63) return Math.trunc(value);
  if (value >= 2 ** 64) return 0;
  return value >= 2 ** 63 ? value - 2 ** 64 : -(2 ** 63);
}

function textOf(args: readonly LuaValue[], position: number, size: number): string {
  const text = textAt(args, position, 'pack');
  if (text.length < size) return failArgument(position + 1, 'pack', 'string too short');
  return size === 0 ? text : text.slice(0, size);
}

const PACK_RUNTIME = { wholeAt, textOf, numberAt, DOUBLE, FLOAT, BYTES_OF_DOUBLE, BYTES_OF_FLOAT };

/** Makes the code that packs a format: each byte is one argument of `String.fromCharCode`. */
function packOf(items: readonly (StructItem | (() => never))[]): Pack {
  const statements: string[] = [];
  const failures: (() => never)[] = [];
  let bytes: string[] = [];
  const flush = (): void => {
    if (bytes.length > 0) statements.push(`all += String.fromCharCode(${bytes.join(', ')});`);
    bytes = [];
  };
  const isAligned = items.some((item) => typeof item === 'object' && item.alignment > 1);
  let argument = 1;
  for (const [i, item] of items.entries()) {
    if (typeof item === 'function') {
      failures.push(item);
      statements.push(`failures[${failures.length - 1}]();`);
      break;
    }
    if (isAligned) {
      flush();
      const { size, alignment } = item;
      const unit = ['chars', 'terminated'].includes(item.kind) ? 1 : Math.max(1, Math.min(size, alignment));
      statements.push(`all += '\\0'.repeat((${unit} - (all.length & ${unit - 1})) & ${unit - 1});`);
    }
    if (item.kind === 'padding') {
      bytes.push('0');
      continue;
    }
    argument += 1;
    switch (item.kind) {
      case 'integer': {
        const low = `l${i}`;
        statements.push(`const v${i} = wholeAt(args, ${argument}), ${low} = v${i} | 0;`);
        if (item.size > 4) statements.push(`const h${i} = Math.floor(v${i} / 4294967296) | 0;`);
        const own = Array.from({ length: item.size }, (_, byte) => {
          if (byte > 7) return '0';
          return byte < 4 ? `(${low} >>> ${8 * byte}) & 255` : `(h${i} >>> ${8 * byte - 32}) & 255`;
        });
        bytes.push(...(item.isBig ? own.reverse() : own));
        break;
      }
      case 'double':
      case 'float': {
        const [array, source] = item.kind === 'double' ? ['DOUBLE', 'BYTES_OF_DOUBLE'] : ['FLOAT', 'BYTES_OF_FLOAT'];
        statements.push(`${array}[0] = numberAt(args, ${argument}, 'pack');`);
        const names = Array.from({ length: item.size }, (_, byte) => `b${i}_${byte}`);
        statements.push(`const ${names.map((name, byte) => `${name} = ${source}[${byte}]`).join(', ')};`);
        bytes.push(...(item.isBig ? names.reverse() : names));
        break;
      }
      default:
        flush();
        statements.push(
          `all += textOf(args, ${argument}, ${item.size})${item.kind === 'terminated' ? " + '\\0'" : ''};`,
        );
    }
  }
  flush();
  const code = `const { ${Object.keys(PACK_RUNTIME).join(', ')} } = runtime;
    return function pack(args) { let all = ''; ${statements.join('\n')} return all; };`;
  return new Function('runtime', 'failures', code)(PACK_RUNTIME, failures) as Pack;
}

function failShort(): never {
  return failArgument(2, 'unpack', 'data string too short');
}

function doubleOf(...bytes: number[]): number {
  BYTES_OF_DOUBLE.set(bytes);
  return DOUBLE[0] as number;
}

function floatOf(...bytes: number[]): number {
  BYTES_OF_FLOAT.set(bytes);
  return FLOAT[0] as number;
}

const UNPACK_RUNTIME = { fail, failShort, doubleOf, floatOf };

/** Makes the code that unpacks a format. */
function unpackOf(items: readonly (StructItem | (() => never))[]): Unpack {
  const statements: string[] = [];
  const failures: (() => never)[] = [];
  const isFixed = items.every((item) => typeof item === 'object' && isFixedItem(item));
  const total = items.reduce((sum, item) => sum + (typeof item === 'object' ? item.size : 0), 0);
  if (isFixed) statements.push(`if (!(at + ${total} <= data.length)) failShort();`);
  let offset = 0;
  const results: string[] = [];
  for (const [i, item] of items.entries()) {
    if (typeof item === 'function') {
      failures.push(item);
      statements.push(`failures[${failures.length - 1}]();`);
      break;
    }
    if (!isFixed) {
      const unit = ['chars', 'terminated'].includes(item.kind) ? 1 : Math.max(1, Math.min(item.size, item.alignment));
      if (unit > 1) statements.push(`at += (${unit} - (at & ${unit - 1})) & ${unit - 1};`);
      statements.push(`if (!(at + ${item.size} <= data.length)) failShort();`);
    }
    const byte = (index: number): string => `data.charCodeAt(at + ${offset + index})`;
    const ordered = Array.from({ length: item.size }, (_, index) => byte(item.isBig ? item.size - 1 - index : index));
    switch (item.kind) {
      case 'padding':
        break;
      case 'integer':
        statements.push(`const r${i} = ${integerCode(ordered.slice(0, 8), item)};`);
        results.push(`r${i}`);
        break;
      case 'double':
      case 'float':
        statements.push(`const r${i} = ${item.kind}Of(${ordered.join(', ')});`);
        results.push(`r${i}`);
        break;
      case 'chars':
        if (item.size > 0) statements.push(`const r${i} = data.slice(at + ${offset}, at + ${offset + item.size});`);
        else statements.push(...countedCode(i, results.pop()));
        results.push(`r${i}`);
        break;
      case 'terminated':
        statements.push(
          `const e${i} = data.indexOf('\\0', at); if (e${i} < 0) fail('unfinished string in data');`,
          `const r${i} = data.slice(at, e${i}); at = e${i} + 1;`,
        );
        results.push(`r${i}`);
    }
    if (isFixed) offset += item.size;
    else if (item.size > 0) statements.push(`at += ${item.size};`);
  }
  const code = `const { ${Object.keys(UNPACK_RUNTIME).join(', ')} } = runtime;
    return function unpack(data, at) { ${statements.join('\n')} return [${[...results, `at + ${offset} + 1`].join(', ')}]; };`;
  return new Function('runtime', 'failures', code)(UNPACK_RUNTIME, failures) as Unpack;
}

const isFixedItem = ({ kind, size, alignment }: StructItem): boolean =>
  alignment === 1 && kind !== 'terminated' && !(kind === 'chars' && size === 0);

/** A text whose length is the number before it. */
function countedCode(i: number, before: string | undefined): string[] {
  const problem = `fail("format 'c0' needs a previous size");`;
  if (before === undefined) return [problem, `const r${i} = '';`];
  return [
    `if (typeof ${before} !== 'number') ${problem}`,
    `const n${i} = ${before} >= 2 ** 64 ? 0 : Math.trunc(${before}); if (!(n${i} >= 0 && at + n${i} <= data.length)) failShort();`,
    `const r${i} = data.slice(at, at + n${i}); at += n${i};`,
  ];
}

/** The number of these bytes, the lowest first. */
function integerCode(bytes: readonly string[], { isSigned }: StructItem): string {
  const part = (own: readonly string[], signed: boolean): string => {
    if (own.length === 0) return '0';
    const joined = own.map((byte, i) => (i === 0 ? byte : `(${byte} << ${8 * i})`)).join(' | ');
    const unused = 32 - 8 * own.length;
    if (signed) return unused === 0 ? `(${joined})` : `((${joined}) << ${unused} >> ${unused})`;
    return own.length === 4 ? `((${joined}) >>> 0)` : `(${joined})`;
  };
  if (bytes.length <= 4) return part(bytes, isSigned);
  return `${part(bytes.slice(4), isSigned)} * 4294967296 + ${part(bytes.slice(0, 4), false)}`;
}
