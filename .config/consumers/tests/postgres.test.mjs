import assert from 'node:assert/strict';
import test from 'node:test';
import { createLimiter } from '@sluice/core';
import { PostgresStore } from '@sluice/postgres';
import pg from 'pg';

test('The PostgreSQL store counts in the process where there is no PostgreSQL', async () => {
  const client = new pg.Pool({ host: '127.0.0.1', port: 1 });
  const store = new PostgresStore({ client });
  const limiter = createLimiter({ limit: 1, window: '1m', store });
  assert.equal((await limiter.consume('ann')).source, 'local');
  assert.equal((await limiter.consume('ann')).allowed, false);
  await store.close();
  await client.end();
});
