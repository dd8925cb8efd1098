import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { RedisClient } from '../src/index.js';
import { clientOver } from './client-over.js';

/** Where the general part of `consume` begins: `lua/limits.lua`. */
const GENERAL_PART = 'local kernels = {}';

let counters = 0;

/**
 * A client whose `consume` scripts count how often their general part runs: a call that does not reach it was decided by
 * the straight part alone.
 */
export class CountedScripts {
  readonly client: RedisClient;
  readonly #redis: Redis;
  /** The key that counts the calls which reached the general part. No store has such a key. */
  readonly #counter: string;
  /** The hashes of the counted scripts by those of the originals. */
  readonly #counted = new Map<string, string>();
  #calls = 0;
  #bytes = 0;

  constructor(redis: Redis) {
    this.#redis = redis;
    counters += 1;
    this.#counter = `general-parts-${counters}`;
    this.client = clientOver(redis, async (command, args, send) => {
      const reply = await send(command, command.startsWith('EVAL') ? this.#counting(command, args) : args);
      if (Buffer.isBuffer(reply)) this.#bytes += reply.length;
      return reply;
    });
  }

  /** How many calls of `consume` there were. */
  get calls(): number {
    return this.#calls;
  }

  /** How many bytes of packed replies there were. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many calls of `consume` reached the general part. */
  async generalCalls(): Promise<number> {
    return Number((await this.#redis.get(this.#counter)) ?? 0);
  }

  #counting(command: string, [script, ...rest]: (string | number | Buffer)[]): (string | number | Buffer)[] {
    const text = String(script);
    if (command === 'EVALSHA') {
      const counted = this.#counted.get(text);
      if (counted !== undefined) this.#calls += 1;
      return [counted ?? text, ...rest];
    }
    if (!text.includes('local decide, decides') || !text.includes(GENERAL_PART)) return [text, ...rest];
    const counted = text.replace(GENERAL_PART, `redis.call('INCR', '${this.#counter}')\n${GENERAL_PART}`);
    this.#counted.set(hashOf(text), hashOf(counted));
    this.#calls += 1;
    return [counted, ...rest];
  }
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
