import { type Command, frees, integerIn, reads } from '../command.js';
import type { Entry, Keyspace } from '../keyspace.js';
import { failWith, type RawReply, Status, SYNTAX } from '../reply.js';
import { SortedSet } from '../sorted-set.js';

const remove = (keyspace: Keyspace, args: readonly string[]): RawReply =>
  args.filter((key) => keyspace.delete(key)).length;

/** EXPIRE and its kind: with a unit, from now on or at a point in time. */
function expire(name: string, unitMs: number, isPoint: boolean): Command {
  return frees(name, -3, (keyspace, args) => {
    const [key, time, ...options] = args as [string, string, ...string[]];
    const allowed = allowedBy(options);
    const value = integerIn(time);
    const expiresMs = value * unitMs + (isPoint ? 0 : keyspace.nowMs);
    if (Math.abs(expiresMs) >= 2 ** 63) return failWith(`ERR invalid expire time in '${name}' command`);
    const entry = keyspace.find(key);
    if (!entry || !allowed(entry.expiresMs, expiresMs)) return 0;
    if (expiresMs <= keyspace.nowMs) keyspace.delete(key);
    else keyspace.set(key, entry.value, expiresMs);
    return 1;
  });
}

type Allowed = (before: number | undefined, after: number) => boolean;

function allowedBy(options: readonly string[]): Allowed {
  const flags = options.map((option) => {
    const flag = option.toUpperCase();
    return ['NX', 'XX', 'GT', 'LT'].includes(flag) ? flag : failWith(`ERR Unsupported option ${option}`);
  });
  const has = (flag: string): boolean => flags.includes(flag);
  if (has('NX') && (has('XX') || has('GT') || has('LT')))
    return failWith('ERR NX and XX, GT or LT options at the same time are not compatible');
  if (has('GT') && has('LT')) return failWith('ERR GT and LT options at the same time are not compatible');
  return (before, after) => {
    if (has('NX') && before !== undefined) return false;
    if (has('XX') && before === undefined) return false;
    if (has('GT') && (before === undefined || after <= before)) return false;
    return !has('LT') || before === undefined || after < before;
  };
}

function ttl(name: string, of: (entry: Entry, nowMs: number) => number): Command {
  return reads(name, 2, (keyspace, args) => {
    const entry = keyspace.find(args[0] as string);
    if (!entry) return -2;
    return entry.expiresMs === undefined ? -1 : of(entry, keyspace.nowMs);
  });
}

const leftMs = ({ expiresMs }: Entry, nowMs: number): number => Math.max(0, (expiresMs as number) - nowMs);

function typeOf(entry: Entry | undefined): string {
  if (!entry) return 'none';
  if (typeof entry.value === 'string') return 'string';
  return entry.value instanceof SortedSet ? 'zset' : 'hash';
}

/** Makes a regular expression of a pattern of KEYS: `*`, `?`, sets and escapes. */
function patternOf(glob: string): RegExp {
  const source = glob.replace(/\\(.)|\[(\^?)((?:\\.|[^\]\\])*)\]|[\s\S]/g, (sign, escaped, not, set) => {
    if (escaped !== undefined) return escaped.replace(/\W/g, '\\$&');
    if (set !== undefined) return `[${not}${set.replace(/[[\]^]/g, '\\$&')}]`;
    if (sign === '*') return '[\\s\\S]*';
    return sign === '?' ? '[\\s\\S]' : sign.replace(/\W/g, '\\$&');
  });
  return new RegExp(`^${source}$`);
}

const matching = (keyspace: Keyspace, glob: string): string[] => {
  const pattern = patternOf(glob);
  return keyspace.keys().filter((key) => pattern.test(key));
};

/** All in one step, so that the cursor is always 0. */
function scan(keyspace: Keyspace, args: readonly string[]): RawReply {
  const [cursor = '', ...options] = args;
  if (!/^\d+$/.test(cursor)) return failWith('ERR invalid cursor');
  let glob = '*';
  for (let i = 0; i < options.length; i += 2) {
    const [option, value] = [options[i]?.toUpperCase(), options[i + 1]];
    if (value === undefined || !['MATCH', 'COUNT'].includes(option ?? '')) return failWith(SYNTAX);
    if (option === 'MATCH') glob = value;
  }
  return ['0', matching(keyspace, glob)];
}

export const KEY_COMMANDS: readonly Command[] = [
  frees('del', -2, remove),
  frees('unlink', -2, remove),
  reads('exists', -2, (keyspace, args) => args.filter((key) => keyspace.find(key) !== undefined).length),
  reads('touch', -2, (keyspace, args) => args.filter((key) => keyspace.find(key) !== undefined).length),
  expire('expire', 1000, false),
  expire('pexpire', 1, false),
  expire('expireat', 1000, true),
  expire('pexpireat', 1, true),
  ttl('pttl', leftMs),
  ttl('ttl', (entry, nowMs) => Math.floor((leftMs(entry, nowMs) + 500) / 1000)),
  ttl('pexpiretime', ({ expiresMs }) => expiresMs as number),
  ttl('expiretime', ({ expiresMs }) => Math.floor(((expiresMs as number) + 500) / 1000)),
  frees('persist', 2, (keyspace, args) => {
    const entry = keyspace.find(args[0] as string);
    if (entry?.expiresMs === undefined) return 0;
    keyspace.set(args[0] as string, entry.value, undefined);
    return 1;
  }),
  reads('type', 2, (keyspace, args) => new Status(typeOf(keyspace.find(args[0] as string)))),
  reads('keys', 2, (keyspace, args) => matching(keyspace, args[0] as string)),
  reads('scan', -2, scan),
  reads('dbsize', 1, (keyspace) => keyspace.size),
  reads('time', 1, (keyspace) => {
    const { nowUs } = keyspace;
    const seconds = Math.floor(nowUs / 1e6);
    return [String(seconds), String(nowUs - seconds * 1e6)];
  }),
  frees('flushall', -1, (keyspace) => {
    keyspace.clear();
    return new Status('OK');
  }),
  frees('flushdb', -1, (keyspace) => {
    keyspace.clear();
    return new Status('OK');
  }),
];
