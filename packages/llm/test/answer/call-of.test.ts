import { afterEach, expect, it } from '@jest/globals';
import { rateLimit } from '@sluice/express';
import express from 'express';
import request from 'supertest';
import { createLlm } from '../../src/index.js';
import { type Job, limited } from '../limited.js';
import { type Gateway, gateway } from './gateway.js';

let served: Gateway | undefined;
afterEach(() => served?.close());

const CALL = { model: 'gpt-5.6', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 };

it('finds the call and its reservation by the request, also after the handler has looked at the limits', async () => {
  const app = express().use(express.json());
  const llm = createLlm<[express.Request, express.Response]>({ call: (req) => req.body, plan: { rpm: 5, otpm: 500 } });
  const policy = rateLimit({ name: 'llm', keyGenerator: () => 'ann', ...llm.policy });
  app.post('/', policy, async (req, res) => {
    await policy.peek(req, res);
    const found = llm.callOf(req);
    res.json({ model: found?.call.model, output: found?.held.output, isIts: found?.reservation === req.rateLimit });
  });
  const { body } = await request(app).post('/').send(CALL);
  expect(body).toEqual({ model: 'gpt-5.6', output: 10, isIts: true });
});

it('finds nothing for a refused job that shares its request with an admitted one', async () => {
  const { llm, limiter, job } = limited({ plan: { rpm: 1 } });
  const shared = { request: {} };
  const jobOf = (user: string): Job => ({ ...job({}, user), ...shared });
  const [refused, admitted] = [jobOf('ann'), jobOf('bob')];
  const decide = async (subject: Job) => llm.policy.extraHeaders(subject, await limiter.reserve(subject));
  await limiter.reserve(job({}, 'ann'));
  for (const subject of [refused, admitted]) await decide(subject);
  expect(llm.callOf(admitted)?.reservation.allowed).toBe(true);
  expect(llm.callOf(refused)).toBeUndefined();
});

it('finds nothing for a request that was refused, or that no policy has seen', async () => {
  served = await gateway({ plan: { rpm: 1 } });
  expect(served.llm.callOf({})).toBeUndefined();
  const { llm, limiter, job } = limited({ plan: { rpm: 1 } });
  const subject = job();
  const admitted = await limiter.reserve(subject);
  await llm.policy.extraHeaders(subject, admitted);
  expect(llm.callOf(subject)?.reservation).toBe(admitted);
  const refused = await limiter.reserve(subject);
  await llm.policy.extraHeaders(subject, refused);
  expect(llm.callOf(subject)).toBeUndefined();
});
