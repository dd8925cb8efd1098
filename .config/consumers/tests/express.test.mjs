import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { rateLimit } from '@sluice/express';
import express from 'express';

test('Express is limited', async () => {
  const app = express();
  app.use(rateLimit({ limit: 1, window: '1m' }));
  app.get('/', (_req, res) => {
    res.send('hello');
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  assert.equal((await fetch(url)).status, 200);
  const refused = await fetch(url);
  assert.equal(refused.status, 429);
  assert.deepEqual((await refused.json())['violated-policies'], ['per-1m']);
  server.closeAllConnections();
  server.close();
});
