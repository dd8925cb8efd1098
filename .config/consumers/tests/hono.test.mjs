import assert from 'node:assert/strict';
import test from 'node:test';
import { rateLimit } from '@sluice/hono';
import { Hono } from 'hono';

test('Hono is limited', async () => {
  const app = new Hono();
  app.use(rateLimit({ limit: 1, window: '1m', keyGenerator: () => 'everyone' }));
  app.get('/', (c) => c.text('hello'));
  assert.equal((await app.request('/')).status, 200);
  const refused = await app.request('/');
  assert.equal(refused.status, 429);
  assert.deepEqual((await refused.json())['violated-policies'], ['per-1m']);
});
