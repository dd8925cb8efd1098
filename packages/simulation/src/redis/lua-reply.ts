import { LuaTable } from '../lua/lua-table.js';
import { LuaUserdata, type LuaValue } from '../lua/lua-value.js';
import { general, withDigits } from '../lua/number-text.js';
import { type RawReply, RedisReplyError, Status } from './reply.js';

/** Makes a Lua value of the reply to a command. There is no nil in Lua's lists, so null is false. */
export function luaOf(reply: RawReply): LuaValue {
  if (typeof reply === 'string' || typeof reply === 'number') return reply;
  if (reply === null) return false;
  if (reply instanceof Status) return LuaTable.ofFields({ ok: reply.text });
  if (reply instanceof RedisReplyError) return LuaTable.ofFields({ err: reply.message });
  return new LuaTable(reply.map(luaOf));
}

/** The largest whole number of 64 bits, and one more. */
const BOUND = 2 ** 63;

/** Makes a reply of what a script returns. */
export function replyOfLua(value: LuaValue): RawReply {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return wholeNumber(value);
    case 'boolean':
      return value ? 1 : null;
    case 'object':
      return value instanceof LuaUserdata ? null : tableReply(value);
    default:
      return null;
  }
}

/** As C makes a whole number of a double. */
function wholeNumber(value: number): number {
  if (!(value > -BOUND && value < BOUND)) return -BOUND;
  return Math.trunc(value) + 0;
}

function tableReply(table: LuaTable): RawReply {
  if (table.map !== undefined && table.map.size > 0) {
    const error = table.getString('err');
    if (typeof error === 'string') return new RedisReplyError(onOneLine(error));
    const status = table.getString('ok');
    if (typeof status === 'string') return new Status(status.replace(/[\r\n]/g, ' '));
    const double = table.getString('double');
    if (typeof double === 'number') return withDigits(double, 17);
  }
  const list: RawReply[] = [];
  for (let i = 1; ; i += 1) {
    const value = table.get(i);
    if (value === undefined) return list;
    list.push(replyOfLua(value));
  }
}

/** An error is one line. */
export function onOneLine(text: string): string {
  return text.replace(/[\r\n]+$/, '').replace(/[\r\n]/g, ' ');
}

/** An argument of a command that a script calls; undefined if it is neither a text nor a number. */
export function argumentText(value: LuaValue): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return undefined;
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '-0' : String(value);
  return general(value, 17, false);
}
