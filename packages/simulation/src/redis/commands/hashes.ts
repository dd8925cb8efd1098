import { type Command, frees, integerIn, reads, writes } from '../command.js';
import type { Hash, Keyspace } from '../keyspace.js';
import { failWith, OK, type RawReply } from '../reply.js';

/** Changes a hash, which is made if it is not there, and goes if it is empty. */
function changed<T>(keyspace: Keyspace, key: string, change: (hash: Hash) => T): T {
  const before = keyspace.hash(key);
  const hash = before ?? new Map<string, string>();
  const result = change(hash);
  if (hash.size === 0) keyspace.delete(key);
  else if (!before) keyspace.set(key, hash, undefined);
  return result;
}

/** Returns how many fields are new. */
function setFields(name: string, keyspace: Keyspace, args: readonly string[]): number {
  const [key, ...pairs] = args as [string, ...string[]];
  if (pairs.length % 2 === 1) return failWith(`ERR wrong number of arguments for '${name}' command`);
  return changed(keyspace, key, (hash) => {
    const before = hash.size;
    for (let i = 0; i < pairs.length; i += 2) hash.set(pairs[i] as string, pairs[i + 1] as string);
    return hash.size - before;
  });
}

function increase(keyspace: Keyspace, args: readonly string[]): RawReply {
  const [key, field, amount] = args as [string, string, string];
  integerIn(amount);
  return changed(keyspace, key, (hash) => {
    const text = hash.get(field) ?? '0';
    integerIn(text, 'ERR hash value is not an integer');
    const value = BigInt(text) + BigInt(amount);
    if (BigInt.asIntN(64, value) !== value) return failWith('ERR increment or decrement would overflow');
    hash.set(field, String(value));
    return Number(value);
  });
}

const empty: ReadonlyMap<string, string> = new Map();

const hashAt = (keyspace: Keyspace, args: readonly string[]): ReadonlyMap<string, string> =>
  keyspace.hash(args[0] as string) ?? empty;

export const HASH_COMMANDS: readonly Command[] = [
  writes('hset', -4, (keyspace, args) => setFields('hset', keyspace, args)),
  writes('hmset', -4, (keyspace, args) => {
    setFields('hmset', keyspace, args);
    return OK;
  }),
  writes('hincrby', 4, increase),
  frees('hdel', -3, (keyspace, args) => {
    const [key, ...fields] = args as [string, ...string[]];
    return changed(keyspace, key, (hash) => fields.filter((field) => hash.delete(field)).length);
  }),
  reads('hget', 3, (keyspace, args) => hashAt(keyspace, args).get(args[1] as string) ?? null),
  reads('hmget', -3, (keyspace, args) => {
    const hash = hashAt(keyspace, args);
    return args.slice(1).map((field) => hash.get(field) ?? null);
  }),
  reads('hexists', 3, (keyspace, args) => Number(hashAt(keyspace, args).has(args[1] as string))),
  reads('hlen', 2, (keyspace, args) => hashAt(keyspace, args).size),
  reads('hgetall', 2, (keyspace, args) => [...hashAt(keyspace, args)].flat()),
  reads('hkeys', 2, (keyspace, args) => [...hashAt(keyspace, args).keys()]),
  reads('hvals', 2, (keyspace, args) => [...hashAt(keyspace, args).values()]),
];
