import assert from 'node:assert/strict';
import test from 'node:test';
import { rateLimit, respond } from '@sluice/fetch';

test('A handler of fetch is limited', async () => {
  const limit = rateLimit({ limit: 1, window: '1m' });
  const handle = async (request) =>
    (await limit(request, { address: '203.0.113.7' })) ?? respond(request, () => new Response('hello'));
  assert.equal((await handle(new Request('http://localhost/'))).status, 200);
  const refused = await handle(new Request('http://localhost/'));
  assert.equal(refused.status, 429);
  assert.deepEqual((await refused.json())['violated-policies'], ['per-1m']);
});
