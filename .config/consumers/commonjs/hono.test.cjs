const assert = require('node:assert/strict');
const test = require('node:test');
const { rateLimit } = require('@sluice/hono');
const { Hono } = require('hono');

test('Hono is limited', async () => {
  const app = new Hono();
  app.use(rateLimit({ limit: 1, window: '1m', keyGenerator: () => 'everyone' }));
  app.get('/', (c) => c.text('hello'));
  assert.equal((await app.request('/')).status, 200);
  const refused = await app.request('/');
  assert.equal(refused.status, 429);
  assert.deepEqual((await refused.json())['violated-policies'], ['per-1m']);
});
