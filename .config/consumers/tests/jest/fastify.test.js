const { rateLimit } = require('@sluice/fastify');
const fastify = require('fastify');
const request = require('supertest');

test('Fastify is limited', async () => {
  const app = fastify();
  await app.register(rateLimit, { limit: 1, window: '1m' });
  app.get('/', async () => 'hello');
  await app.ready();
  // Not by app.inject: it loads an ES module, which Jest as it comes does not.
  await request(app.server).get('/').expect(200);
  const { body } = await request(app.server).get('/').expect(429);
  expect(body['violated-policies']).toEqual(['per-1m']);
  await app.close();
});
