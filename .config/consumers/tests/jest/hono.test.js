const { rateLimit } = require('@sluice/hono');
const { Hono } = require('hono');

test('Hono is limited', async () => {
  const app = new Hono();
  app.use(rateLimit({ limit: 1, window: '1m', keyGenerator: () => 'everyone' }));
  app.get('/', (c) => c.text('hello'));
  expect((await app.request('/')).status).toBe(200);
  const refused = await app.request('/');
  expect(refused.status).toBe(429);
  expect((await refused.json())['violated-policies']).toEqual(['per-1m']);
});
