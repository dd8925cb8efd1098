import { fail, failArgument } from '../lua-error.js';
import type { LuaTable } from '../lua-table.js';
import { firstOf, type LuaFunction, type LuaResult, type LuaValue, NONE, typeName } from '../lua-value.js';
import { isLess, toText } from '../operations.js';
import { failType, integerAt, tableAt, textAt } from './arguments.js';

function insert(...args: LuaValue[]): LuaResult {
  const table = tableAt(args, 1, 'insert');
  let end = table.length + 1;
  if (args.length === 2) {
    table.set(end, args[1]);
    return NONE;
  }
  if (args.length !== 3) return fail("wrong number of arguments to 'insert'");
  const position = integerAt(args, 2, 'insert');
  if (position > end) end = position;
  for (let i = end; i > position; i -= 1) table.set(i, table.get(i - 1));
  table.set(position, args[2]);
  return NONE;
}

function remove(...args: LuaValue[]): LuaResult {
  const table = tableAt(args, 1, 'remove');
  const end = table.length;
  const position = integerAt(args, 2, 'remove', end);
  if (position < 1 || position > end) return NONE;
  const removed = table.get(position);
  for (let i = position; i < end; i += 1) table.set(i, table.get(i + 1));
  table.set(end, undefined);
  return removed;
}

function concat(...args: LuaValue[]): LuaResult {
  const table = tableAt(args, 1, 'concat');
  const separator = args[1] === undefined ? '' : textAt(args, 2, 'concat');
  const from = integerAt(args, 3, 'concat', 1);
  const to = integerAt(args, 4, 'concat', table.length);
  let all = '';
  for (let i = from; i <= to; i += 1) {
    const value = table.get(i);
    const text = toText(value);
    if (text === undefined) return fail(`invalid value (${typeName(value)}) at index ${i} in table for 'concat'`);
    all += i === from ? text : separator + text;
  }
  return all;
}

/** Sorts the list in place. An order that contradicts itself gives another result than Lua's, which nobody can rely on. */
function sort(...args: LuaValue[]): LuaResult {
  const table = tableAt(args, 1, 'sort');
  const [, order] = args;
  if (order !== undefined && typeof order !== 'function') return failType(args, 2, 'sort', 'function');
  const isBefore = order === undefined ? isLess : asOrder(order as LuaFunction);
  const sorted = table.list.slice().sort((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0));
  // Array.prototype.sort does not pass holes to the order, but Lua would.
  if (sorted.includes(undefined)) isBefore(sorted[0], undefined);
  sorted.forEach((value, i) => {
    table.set(i + 1, value);
  });
  return NONE;
}

const asOrder =
  (order: LuaFunction) =>
  (a: LuaValue, b: LuaValue): boolean => {
    const answer = firstOf(order(a, b));
    return answer !== undefined && answer !== false;
  };

function largestKey(table: LuaTable): number {
  let most = 0;
  for (const walk = table.walk(); walk.step(); ) if (typeof walk.key === 'number' && walk.key > most) most = walk.key;
  return most;
}

function callForEach(name: string): LuaFunction {
  return (...args) => {
    const table = tableAt(args, 1, name);
    const [, call] = args;
    if (typeof call !== 'function') return failArgument(2, name, `function expected, got ${typeName(call)}`);
    for (const walk = table.walk(); walk.step(); ) {
      const result = firstOf(call(walk.key, walk.value));
      if (result !== undefined) return result;
    }
    return NONE;
  };
}

export const TABLE: Readonly<Record<string, LuaFunction>> = {
  concat,
  foreach: callForEach('foreach'),
  getn: (...args) => tableAt(args, 1, 'getn').length,
  insert,
  maxn: (...args) => largestKey(tableAt(args, 1, 'maxn')),
  remove,
  sort,
};
