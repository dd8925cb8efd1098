import { expect, it } from '@jest/globals';
import fastify from 'fastify';
import { rateLimit } from '../src/index.js';

it('extraHeaders add cookies and Vary to those of an earlier hook', async () => {
  const app = fastify();
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Vary', 'Accept').header('Set-Cookie', 'seen=yes').header('X-Plan', 'none');
  });
  const extraHeaders = { 'Set-Cookie': 'plan=free', Vary: 'X-Api-Key', 'X-Plan': 'free' };
  await app.register(rateLimit, { limit: 2, window: '1m', extraHeaders });
  app.get('/', () => 'ok');
  const { headers } = await app.inject('/');
  expect(String(headers.vary).split(/, ?/)).toEqual(['Accept', 'X-Api-Key']);
  expect(headers['set-cookie']).toEqual(['seen=yes', 'plan=free']);
  expect(headers['x-plan']).toBe('free');
  await app.close();
});
