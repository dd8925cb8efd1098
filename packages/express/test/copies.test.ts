import { expect, it, jest } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { rateLimit } from '../src/index.js';

it('Limiters of two copies of the package, one imported and one required, make one chain', async () => {
  jest.resetModules();
  const copy = await import('../src/index.js');
  expect(copy.rateLimit).not.toBe(rateLimit);
  const app = express();
  app.use(rateLimit({ name: 'outer', limit: 9, window: '1m' }));
  app.get('/', copy.rateLimit({ name: 'inner', limit: 1, window: '1m' }), (_req, res) => void res.send('ok'));
  const first = await supertest(app).get('/').expect(200);
  expect(first.headers['ratelimit-policy']).toBe('"outer";q=9;w=60,"inner";q=1;w=60');
  await supertest(app).get('/').expect(429);
  // What the refused request was charged by the outer limiter is given back.
  expect((await supertest(app).get('/elsewhere')).headers['x-ratelimit-remaining']).toBe('7');
});
