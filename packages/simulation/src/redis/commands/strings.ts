import { type Command, frees, integerIn, reads, writes } from '../command.js';
import type { Keyspace } from '../keyspace.js';
import { failWith, NO_INTEGER, OK, type RawReply, SYNTAX } from '../reply.js';
import { expiryOf } from './expiry.js';

/** The longest text of a key, in bytes. */
const LONGEST = 512 * 1024 * 1024;

const TOO_LONG = 'ERR string exceeds maximum allowed size (proto-max-bulk-len)';

interface SetOptions {
  readonly expiresMs: number | undefined;
  readonly keepsTtl: boolean;
  readonly only: 'NX' | 'XX' | undefined;
  readonly returnsOld: boolean;
}

function setOptions(args: readonly string[], nowMs: number): SetOptions {
  let expiry: readonly [option: string, value: string] | undefined;
  let [keepsTtl, returnsOld] = [false, false];
  let only: SetOptions['only'];
  for (let i = 2; i < args.length; i += 1) {
    const option = (args[i] as string).toUpperCase();
    switch (option) {
      case 'NX':
      case 'XX':
        if (only !== undefined && only !== option) return failWith(SYNTAX);
        only = option;
        break;
      case 'GET':
        returnsOld = true;
        break;
      case 'KEEPTTL':
        if (expiry) return failWith(SYNTAX);
        keepsTtl = true;
        break;
      case 'EX':
      case 'PX':
      case 'EXAT':
      case 'PXAT': {
        const value = args[i + 1];
        if ((expiry && expiry[0] !== option) || keepsTtl || value === undefined) return failWith(SYNTAX);
        expiry = [option, value];
        i += 1;
        break;
      }
      default:
        return failWith(SYNTAX);
    }
  }
  return { expiresMs: expiry && expiryOf(...expiry, nowMs, 'set'), keepsTtl, only, returnsOld };
}

function set(keyspace: Keyspace, args: readonly string[]): RawReply {
  const [key, value] = args as [string, string];
  // Scripts write in this form.
  if (args.length === 4 && args[2] === 'PX') {
    keyspace.set(key, value, expiryOf('PX', args[3] as string, keyspace.nowMs, 'set'));
    return OK;
  }
  const { expiresMs, keepsTtl, only, returnsOld } = setOptions(args, keyspace.nowMs);
  const old = returnsOld ? (keyspace.text(key) ?? null) : null;
  const before = keyspace.find(key);
  if (only === 'NX' ? before : only === 'XX' && !before) return old;
  keyspace.set(key, value, keepsTtl ? before?.expiresMs : expiresMs);
  return returnsOld ? old : OK;
}

function setWithExpiry(name: string, option: string): Command {
  return writes(name, 4, (keyspace, args) => {
    const [key, time, value] = args as [string, string, string];
    keyspace.set(key, value, expiryOf(option, time, keyspace.nowMs, name));
    return OK;
  });
}

function setRange(keyspace: Keyspace, args: readonly string[]): RawReply {
  const [key, position, value] = args as [string, string, string];
  const from = integerIn(position);
  if (from < 0) return failWith('ERR offset is out of range');
  const before = keyspace.text(key);
  if (value === '') return before?.length ?? 0;
  if (from + value.length > LONGEST) return failWith(TOO_LONG);
  const old = before ?? '';
  const text = old.slice(0, from).padEnd(from, '\0') + value + old.slice(from + value.length);
  keyspace.replace(key, text);
  return text.length;
}

function getRange(keyspace: Keyspace, args: readonly string[]): RawReply {
  const [key, start, end] = args as [string, string, string];
  const [from, to] = [integerIn(start), integerIn(end)];
  const text = keyspace.text(key) ?? '';
  if (from < 0 && to < 0 && from > to) return '';
  const first = from < 0 ? Math.max(0, text.length + from) : from;
  const last = Math.min(to < 0 ? Math.max(0, text.length + to) : to, text.length - 1);
  return first > last ? '' : text.slice(first, last + 1);
}

function append(keyspace: Keyspace, args: readonly string[]): RawReply {
  const [key, more] = args as [string, string];
  const text = (keyspace.text(key) ?? '') + more;
  if (text.length > LONGEST) return failWith(TOO_LONG);
  keyspace.replace(key, text);
  return text.length;
}

function increase(keyspace: Keyspace, key: string, by: bigint): RawReply {
  const text = keyspace.text(key) ?? '0';
  integerIn(text);
  const value = BigInt(text) + by;
  if (BigInt.asIntN(64, value) !== value) return failWith('ERR increment or decrement would overflow');
  keyspace.replace(key, String(value));
  return Number(value);
}

function by(text: string, sign: 1n | -1n): bigint {
  integerIn(text);
  if (sign === -1n && BigInt(text) === -(2n ** 63n)) return failWith('ERR decrement would overflow');
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? sign * value : failWith(NO_INTEGER);
}

const get = (keyspace: Keyspace, args: readonly string[]): RawReply => keyspace.text(args[0] as string) ?? null;

/** Of a key that holds something else, MGET says that there is none. */
function getMany(keyspace: Keyspace, args: readonly string[]): RawReply {
  return args.map((key) => {
    const value = keyspace.find(key)?.value;
    return typeof value === 'string' ? value : null;
  });
}

export const STRING_COMMANDS: readonly Command[] = [
  reads('get', 2, get),
  reads('mget', -2, getMany),
  reads('strlen', 2, (keyspace, args) => keyspace.text(args[0] as string)?.length ?? 0),
  reads('getrange', 4, getRange),
  writes('set', -3, set),
  setWithExpiry('setex', 'EX'),
  setWithExpiry('psetex', 'PX'),
  writes('setnx', 3, (keyspace, args) => {
    const [key, value] = args as [string, string];
    if (keyspace.find(key)) return 0;
    keyspace.set(key, value, undefined);
    return 1;
  }),
  writes('setrange', 4, setRange),
  writes('append', 3, append),
  writes('incr', 2, (keyspace, args) => increase(keyspace, args[0] as string, 1n)),
  writes('decr', 2, (keyspace, args) => increase(keyspace, args[0] as string, -1n)),
  writes('incrby', 3, (keyspace, args) => increase(keyspace, args[0] as string, by(args[1] as string, 1n))),
  writes('decrby', 3, (keyspace, args) => increase(keyspace, args[0] as string, by(args[1] as string, -1n))),
  frees('getdel', 2, (keyspace, args) => {
    const text = get(keyspace, args);
    keyspace.delete(args[0] as string);
    return text;
  }),
];
