import type { Redis } from 'ioredis';
import type { SimulatedRedis, Snapshot } from '../../src/redis/simulated-redis.js';

/** What can happen to a server in a scene. */
export const FAULTS = [
  'fill',
  'drain',
  'forget-scripts',
  'flush',
  'lose-key',
  'restart',
  'remember',
  'fall-back',
] as const;

export type Fault = (typeof FAULTS)[number];

/** All that a server keeps: by key its kind, its contents, and the time it has left. */
export type Contents = readonly (readonly [key: string, kind: string, value: unknown, leftMs: number])[];

/** A server to which faults happen. */
export interface FaultyServer {
  /** @param part - of all keys in order, which one is meant: from 0 to 1 */
  suffer(fault: Fault, part: number): Promise<void>;
  contents(): Promise<Contents>;
}

type Send = (command: string, args: (string | number)[]) => Promise<unknown>;

async function contentsBy(send: Send): Promise<Contents> {
  const keys = ((await send('KEYS', ['*'])) as Buffer[]).map(String).sort();
  const readers: Readonly<Record<string, readonly [command: string, ...args: (string | number)[]]>> = {
    string: ['GET'],
    hash: ['HGETALL'],
    zset: ['ZRANGE', 0, -1, 'WITHSCORES'],
  };
  return Promise.all(
    keys.map(async (key) => {
      const kind = String(await send('TYPE', [key]));
      const [command, ...args] = readers[kind] ?? ['GET'];
      const value = texts(await send(command, [key, ...args]));
      const ordered = kind === 'hash' && Array.isArray(value) ? pairsInOrder(value) : value;
      return [key, kind, ordered, Number(await send('PTTL', [key]))] as const;
    }),
  );
}

/** Bytes as texts, in one list: depending on its protocol, a server sends pairs. */
function texts(reply: unknown): unknown {
  if (Buffer.isBuffer(reply)) return reply.toString('latin1');
  return Array.isArray(reply) ? reply.flat(2).map(texts) : reply;
}

function pairsInOrder(list: readonly unknown[]): readonly string[] {
  return list.flatMap((value, i) => (i % 2 === 0 ? [`${value}=${list[i + 1]}`] : [])).sort();
}

/** A real server. Faults that would need another process are made with commands. */
export class RealServer implements FaultyServer {
  readonly #client: Redis;
  #remembered: readonly (readonly [key: string, expiresMs: number, value: Buffer])[] = [];

  constructor(client: Redis) {
    this.#client = client;
  }

  contents(): Promise<Contents> {
    return contentsBy((command, args) => this.#client.callBuffer(command, args));
  }

  async suffer(fault: Fault, part: number): Promise<void> {
    const client = this.#client;
    switch (fault) {
      case 'fill':
      case 'drain':
        await client.config('SET', 'maxmemory', fault === 'fill' ? '1' : '0');
        return;
      case 'forget-scripts':
      case 'restart':
        await client.script('FLUSH');
        return;
      case 'flush':
        await client.flushall();
        return;
      case 'lose-key': {
        const key = keyAt(await this.#keys(), part);
        if (key !== undefined) await client.del(key);
        return;
      }
      case 'remember':
        this.#remembered = await Promise.all(
          (await this.#keys()).map(async (key) => {
            const [expiresMs, value] = [await client.call('PEXPIRETIME', [key]), await client.dumpBuffer(key)];
            return [key, Number(expiresMs), value as Buffer] as const;
          }),
        );
        return;
      case 'fall-back':
        await client.config('SET', 'maxmemory', '0');
        await client.flushall();
        for (const [key, expiresMs, value] of this.#remembered)
          await client.restore(key, Math.max(0, expiresMs), value, 'ABSTTL');
    }
  }

  async #keys(): Promise<string[]> {
    return (await this.#client.keys('*')).sort();
  }
}

/** The same faults of a simulated server. */
export class SimulatedServer implements FaultyServer {
  readonly #server: SimulatedRedis;
  #remembered: Snapshot = new Map();

  constructor(server: SimulatedRedis) {
    this.#server = server;
  }

  contents(): Promise<Contents> {
    return contentsBy(async (command, args) => bytes(this.#server.execute(command, args)));
  }

  async suffer(fault: Fault, part: number): Promise<void> {
    const server = this.#server;
    switch (fault) {
      case 'fill':
        return server.fill('noeviction');
      case 'drain':
        return server.drain();
      case 'forget-scripts':
        return server.forgetScripts();
      case 'restart': {
        const kept = server.snapshot();
        server.clear();
        server.forgetScripts();
        return server.restore(kept);
      }
      case 'flush':
        return server.clear();
      case 'lose-key': {
        const key = keyAt(server.keys(), part);
        if (key !== undefined) server.loseKey(key);
        return;
      }
      case 'remember':
        this.#remembered = server.snapshot();
        return;
      case 'fall-back':
        server.drain();
        server.restore(this.#remembered);
    }
  }
}

const keyAt = (keys: readonly string[], part: number): string | undefined => keys[Math.floor(part * keys.length)];

function bytes(reply: unknown): unknown {
  if (typeof reply === 'string') return Buffer.from(reply, 'latin1');
  return Array.isArray(reply) ? reply.map(bytes) : reply;
}
