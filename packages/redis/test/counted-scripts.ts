import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { IoredisClient } from '../src/index.js';
import { clientOver } from './client-over.js';

/** Where the part of `consume` begins that decides what is not a single request: `lua/prelude.lua`. */
const LATER_PART = 'local floor, ceil, min, max';

/** Where its general part begins: `lua/limits.lua`. */
const GENERAL_PART = 'local kernels = {}';

let counters = 0;

/**
 * A client whose `consume` scripts count how often their parts run. A call that does not reach the general part was decided
 * by the numeric paths alone, and one that ended before `lua/numeric-path.lua` by `lua/single-request-path.lua`.
 */
export class CountedScripts {
  readonly client: IoredisClient;
  readonly #redis: Redis;
  /** The keys that count the calls which reached a part. No store has such keys. */
  readonly #laterParts: string;
  readonly #generalParts: string;
  /** The hashes of the counted scripts by those of the originals. */
  readonly #counted = new Map<string, string>();
  #calls = 0;
  #bytes = 0;

  constructor(redis: Redis) {
    this.#redis = redis;
    counters += 1;
    this.#laterParts = `later-parts-${counters}`;
    this.#generalParts = `general-parts-${counters}`;
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
    return Number((await this.#redis.get(this.#generalParts)) ?? 0);
  }

  /** How many calls of `consume` were not decided by the single-request path. */
  async laterCalls(): Promise<number> {
    return Number((await this.#redis.get(this.#laterParts)) ?? 0);
  }

  #counting(command: string, [script, ...rest]: (string | number | Buffer)[]): (string | number | Buffer)[] {
    const text = String(script);
    if (command === 'EVALSHA') {
      const counted = this.#counted.get(text);
      if (counted !== undefined) this.#calls += 1;
      return [counted ?? text, ...rest];
    }
    if (!text.includes('local decide, decides') || !text.includes(GENERAL_PART)) return [text, ...rest];
    const counted = text
      .replace(LATER_PART, `redis.call('INCR', '${this.#laterParts}')\n${LATER_PART}`)
      .replace(GENERAL_PART, `redis.call('INCR', '${this.#generalParts}')\n${GENERAL_PART}`);
    this.#counted.set(hashOf(text), hashOf(counted));
    this.#calls += 1;
    return [counted, ...rest];
  }
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
