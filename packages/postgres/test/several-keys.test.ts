import { expect, it } from '@jest/globals';
import { type LimitCheck, slidingWindow, tokenBucket } from '@sluice/core';
import type { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import type { Pool } from 'pg';
import { PostgresStore } from '../src/index.js';

const STORES = 6;
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const LIMITS = {
  window: slidingWindow({ limit: 30, window: '1h' }),
  bucket: tokenBucket({ capacity: 30, refillRate: 0 }),
};

let server: PostgresServer;
let pool: Pool;

withPostgres((...given) => {
  [pool, server] = given;
});

const checkOf = (key: string, name: keyof typeof LIMITS, cost = 1): LimitCheck => ({
  policy: 'p',
  name,
  key,
  limit: LIMITS[name],
  cost,
});

it.each([1, 2])(
  'Stores that use several keys at once, in any order, spend exactly what they admit: seed %i',
  async (seed) => {
    await pool.query('TRUNCATE sluice');
    const random = seededRandom(seed);
    const stores = Array.from(
      { length: STORES },
      () => new PostgresStore({ client: server.pool({ max: 3 }), timeout: '20s', attempts: 1000 }),
    );
    const used = new Map<string, number>();
    const count = ({ key, name }: LimitCheck, units: number): void => {
      used.set(`${key} ${name}`, (used.get(`${key} ${name}`) ?? 0) + units);
    };
    const ask = async (store: PostgresStore): Promise<void> => {
      const keys = KEYS.toSorted(() => random() - 0.5).slice(0, 1 + Math.floor(random() * 4));
      const checks = keys.map((key) =>
        checkOf(key, random() < 0.5 ? 'window' : 'bucket', 1 + Math.floor(random() * 3)),
      );
      const { allowed, atMs } = await store.consume({ checks });
      if (!allowed) return;
      for (const check of checks) count(check, check.cost);
      if (random() < 0.5) return;
      // What gives back everything of a key deletes its row.
      const { result } = await store.adjust({ checks: checks.map((check) => ({ ...check, cost: -check.cost })), atMs });
      expect(result).toBe('applied');
      for (const check of checks) count(check, -check.cost);
    };
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(stores.flatMap((store) => Array.from({ length: 8 }, () => ask(store))));
    }
    const all = KEYS.flatMap((key) => [checkOf(key, 'window'), checkOf(key, 'bucket')]);
    const { verdicts } = await (stores[0] as PostgresStore).consume({ checks: all, peek: true });
    expect(verdicts.map((verdict) => verdict.used)).toEqual(
      all.map(({ key, name }) => used.get(`${key} ${name}`) ?? 0),
    );
    expect(Math.max(...verdicts.map((verdict) => verdict.used))).toBeLessThanOrEqual(30);
  },
  60_000,
);
