import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { rateLimit } from '@sluice/koa';
import Koa from 'koa';

test('Koa is limited', async () => {
  const app = new Koa();
  app.use(rateLimit({ limit: 1, window: '1m' }));
  app.use((ctx) => {
    ctx.body = 'hello';
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
