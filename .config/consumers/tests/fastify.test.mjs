import assert from 'node:assert/strict';
import test from 'node:test';
import { rateLimit } from '@sluice/fastify';
import fastify from 'fastify';

test('Fastify is limited', async () => {
  const app = fastify();
  await app.register(rateLimit, { limit: 1, window: '1m' });
  app.get('/', async () => 'hello');
  assert.equal((await app.inject('/')).statusCode, 200);
  const refused = await app.inject('/');
  assert.equal(refused.statusCode, 429);
  assert.deepEqual(refused.json()['violated-policies'], ['per-1m']);
  await app.close();
});
