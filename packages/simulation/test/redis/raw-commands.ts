import { seededRandom } from '@sluice/test-kit/seeded-random';

/** A command with its arguments. */
export type RawCommand = readonly [name: string, ...args: (string | number)[]];

/** Commands that go from one key to another, from a seed. Mistakes are among them. */
export class RawCommands {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  next(): RawCommand {
    const key = `k${this.#below(6)}`;
    const [value, number, member] = [this.#value(), this.#number(), this.#pick('a', 'b', 'c', 'd')];
    const [from, to] = [this.#rank(), this.#rank()];
    return this.#pick<() => RawCommand>(
      () => ['SET', key, value],
      () => ['SET', key, value, this.#pick('PX', 'px', 'EX'), number],
      () => ['SET', key, value, ...this.#setOptions()],
      () => ['GET', key],
      () => ['MGET', key, 'k1', 'k2'],
      () => ['SETRANGE', key, this.#below(7) - 1, value],
      () => ['GETRANGE', key, from, to],
      () => ['APPEND', key, value],
      () => ['STRLEN', key],
      () => ['DEL', key, 'k0'],
      () => ['UNLINK', key],
      () => ['EXISTS', key, key, 'k1'],
      () => [this.#pick('EXPIRE', 'PEXPIRE'), key, number],
      () => ['PEXPIRE', key, number, ...this.#some('NX', 'XX', 'GT', 'LT', 'QQ')],
      () => [this.#pick('PTTL', 'TTL', 'PERSIST', 'TYPE'), key],
      () => [this.#pick('INCR', 'DECR'), key],
      () => [this.#pick('INCRBY', 'DECRBY'), key, number],
      () => ['HSET', key, 'f1', value, ...this.#pick<string[]>([], ['f2', value], ['f3'])],
      () => [this.#pick('HGET', 'HDEL', 'HEXISTS'), key, this.#pick('f1', 'f2', 'f3')],
      () => [this.#pick('HLEN', 'HGETALL', 'HKEYS', 'HVALS'), key],
      () => ['HMGET', key, 'f1', 'f3'],
      () => ['HINCRBY', key, 'f1', number],
      () => ['ZADD', key, this.#score(), member, this.#score(), 'b'],
      () => ['ZADD', key, ...this.#some('NX', 'XX', 'GT', 'LT', 'CH', 'INCR'), this.#score(), member],
      () => ['ZREM', key, member, 'b'],
      () => [this.#pick('ZSCORE', 'ZRANK'), key, member],
      () => ['ZCARD', key],
      () => [this.#pick('ZCOUNT', 'ZREMRANGEBYSCORE'), key, this.#bound(), this.#bound()],
      () => ['ZREMRANGEBYRANK', key, from, to],
      () => ['ZRANGE', key, from, to, ...this.#some('WITHSCORES', 'REV')],
      () => [
        'ZRANGE',
        key,
        this.#bound(),
        this.#bound(),
        'BYSCORE',
        ...this.#some('WITHSCORES', 'REV'),
        ...this.#limit(),
      ],
      () => [
        this.#pick('ZRANGEBYSCORE', 'ZREVRANGEBYSCORE'),
        key,
        this.#bound(),
        this.#bound(),
        ...this.#some('WITHSCORES'),
        ...this.#limit(),
      ],
      () => ['ZREVRANGE', key, from, to],
      () => ['PING', ...this.#pick<string[]>([], ['hello'])],
      () => [this.#pick('GET', 'SET', 'ZADD', 'HSET', 'NOTHING', 'EVAL', 'TTL'), ...this.#pick<string[]>([], [key])],
      () => [
        'EVAL',
        this.#pick('return 1', 'return redis.call("GET", KEYS[1])', 'return {1, ARGV[1]}', 'x'),
        number,
        key,
        value,
      ],
      () => ['EVALSHA', 'ffffffffffffffffffffffffffffffffffffffff', 0],
      () => ['EVAL', this.#script(), 1, key, value],
      () => ['EVAL', this.#script(), 1, key, value],
    )();
  }

  /** A script that calls two commands, and what it does with their errors. */
  #script(): string {
    const call = (): string =>
      this.#pick(
        '"SET", KEYS[1], ARGV[1]',
        '"SET", KEYS[1], 12.5, "PX", 100',
        '"GET", KEYS[1]',
        '"DEL", KEYS[1]',
        '"INCR", KEYS[1]',
        '"ZADD", KEYS[1], 1.5, "m"',
        '"ZRANGE", KEYS[1], 0, -1, "WITHSCORES"',
        '"HSET", KEYS[1], "f", 1e20',
        '"PTTL", KEYS[1]',
        '"EXPIRE", KEYS[1], 10',
        '"NOTHING"',
        '"GET"',
        '"GET", {}',
        '"PING"',
        '"MGET", KEYS[1], "none"',
        '"INCRBY", "counter", 1',
        '"CONFIG", "GET", "maxmemory"',
      );
    return this.#pick(
      `return redis.call(${call()})`,
      `return redis.pcall(${call()})`,
      `redis.pcall(${call()}) return redis.pcall(${call()})`,
      `return { redis.pcall(${call()}), redis.pcall(${call()}) }`,
      `local ok, e = pcall(redis.call, ${call()}) return tostring(ok) .. type(e)`,
      `local ok, e = pcall(redis.call, ${call()}) return e`,
      `redis.call(${call()}) error("stop")`,
      `local r = redis.pcall(${call()})\nif type(r) == "table" and r.err then\nerror(r.err)\nend return r`,
      `return redis.${this.#pick('error_reply', 'status_reply')}(${this.#pick('"A b"', '"one"', '"-C d"', '1', '""')})`,
    );
  }

  #setOptions(): (string | number)[] {
    return this.#some('NX', 'XX', 'GET', 'KEEPTTL', 'QQ').flatMap((option): (string | number)[] =>
      this.#below(3) === 0 ? [option, this.#pick('PX', 'PXAT', 'EXAT'), this.#number()] : [option],
    );
  }

  #limit(): (string | number)[] {
    return this.#pick<(string | number)[]>([], ['LIMIT', this.#below(3), this.#below(5) - 1], ['LIMIT', 1]);
  }

  #some<T>(...values: readonly T[]): T[] {
    return values.filter(() => this.#below(5) === 0);
  }

  #value(): string {
    return this.#pick('', '1', '12', '-7', 'text', 'é\0', '900719925474', '1.5', ' 1', '007');
  }

  #number(): number | string {
    return this.#pick<number | string>(0, 1, 5, 100, 1000, -1, 1e10, 'x', '1.5', 60_000, 2_000_000_000_000);
  }

  #score(): number | string {
    return this.#pick<number | string>(
      0,
      1,
      2.5,
      -3,
      '1e300',
      'inf',
      '-inf',
      '(1',
      'x',
      1_700_000_000_000,
      0.1,
      8.64e15,
      '1e17',
    );
  }

  #bound(): number | string {
    return this.#pick<number | string>('-inf', '+inf', 0, '(1', 2.5, '(2.5', 'x', 1_700_000_000_000);
  }

  #rank(): number {
    return this.#below(9) - 4;
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #pick<T>(...values: readonly T[]): T {
    return values[this.#below(values.length)] as T;
  }
}
