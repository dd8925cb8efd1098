import type { Redis } from 'ioredis';
import type { Pool } from 'pg';

/** The states of a store, as its server keeps them: the same text for the same states. */
export interface Server<State> {
  read(): Promise<readonly State[]>;
  write(states: readonly State[]): Promise<void>;
}

/** Keys of a test live for so long, whatever their states say: those have a clock of their own. */
const LIVES_SECONDS = 3600;

/** One key of Redis. Its value is in base64: a string, a hash as a list of fields and values, or a set as a list of members and scores. */
interface RedisState {
  readonly key: string;
  readonly type: 'string' | 'hash' | 'zset';
  readonly value: readonly string[];
}

export const statesInRedis = (client: Redis): Server<RedisState> => ({
  read: async () => {
    const keys = (await client.keys('*')).sort();
    return Promise.all(
      keys.map(async (key) => {
        const type = (await client.type(key)) as RedisState['type'];
        const value = await READERS[type](client, key);
        return { key, type, value: value.map(inBase64) };
      }),
    );
  },
  write: async (states) => {
    await client.flushall();
    for (const { key, type, value } of states) {
      const parts = value.map((part) => Buffer.from(part, 'base64'));
      if (type === 'string') await client.set(key, parts[0] as Buffer);
      else if (type === 'hash') await client.hset(key, ...parts);
      else await client.zadd(key, ...parts.map((_, i) => parts[i ^ 1] as Buffer));
      await client.expire(key, LIVES_SECONDS);
    }
  },
});

type Part = Buffer | number;

const inBase64 = (part: Part): string => Buffer.from(typeof part === 'number' ? `${part}` : part).toString('base64');

const READERS: Readonly<Record<RedisState['type'], (client: Redis, key: string) => Promise<readonly Part[]>>> = {
  string: async (client, key) => [(await client.getBuffer(key)) as Buffer],
  hash: async (client, key) => flat(await client.callBuffer('HGETALL', key)),
  zset: async (client, key) => flat(await client.callBuffer('ZRANGE', key, '0', '-1', 'WITHSCORES')),
};

/** Newer protocols have pairs in place of a list. */
const flat = (reply: unknown): readonly Part[] => (reply as readonly (Part | readonly Part[])[]).flat() as Part[];

/** One row of PostgreSQL. Its version is made by chance, and says nothing. */
interface PostgresState {
  readonly key: string;
  readonly value: string;
}

export const statesInPostgres = (pool: Pool): Server<PostgresState> => ({
  read: async () => (await pool.query('SELECT key, value FROM sluice ORDER BY key')).rows,
  write: async (states) => {
    await pool.query('TRUNCATE sluice');
    for (const { key, value } of states) {
      await pool.query("INSERT INTO sluice VALUES ($1, 'recorded', $2, now() + make_interval(secs => $3))", [
        key,
        value,
        LIVES_SECONDS,
      ]);
    }
  },
});
