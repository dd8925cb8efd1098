const { createLimiter } = require('@sluice/core');
const { PostgresStore } = require('@sluice/postgres');
const pg = require('pg');

test('The PostgreSQL store counts in the process where there is no PostgreSQL', async () => {
  const client = new pg.Pool({ host: '127.0.0.1', port: 1 });
  const store = new PostgresStore({ client });
  const limiter = createLimiter({ limit: 1, window: '1m', store });
  expect((await limiter.consume('ann')).source).toBe('local');
  expect((await limiter.consume('ann')).allowed).toBe(false);
  await store.close();
  await client.end();
});
