import { createServer } from 'node:http';
import { expect, it } from '@jest/globals';
import { emittedWarnings } from '@sluice/test-kit/emitted-warnings';
import type { Request } from 'express';
import supertest from 'supertest';
import { rateLimit } from '../src/index.js';

it('Without an application, as under Fastify, a request through a proxy is counted without a warning', async () => {
  const warnings = emittedWarnings();
  const limiter = rateLimit({ limit: 1, window: '1m' });
  const server = createServer((req, res) => {
    // What @fastify/middie gives to middleware.
    const request = Object.assign(req, { ip: '203.0.113.7' }) as unknown as Request;
    limiter(request, res, (error?: unknown) => void res.writeHead(error ? 500 : 200).end(String(error)));
  });
  const ask = async () => (await supertest(server).get('/').set('X-Forwarded-For', '203.0.113.7')).status;
  expect([await ask(), await ask()]).toEqual([200, 429]);
  expect(warnings).toEqual([]);
});
