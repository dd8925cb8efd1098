import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { createLimiter } from '@sluice/core';
import { rateLimit } from '@sluice/express';
import { createLlm, priceTable, usd } from '@sluice/llm';
import { limitMiddleware } from '@sluice/llm/ai-sdk';
import { providerFetch } from '@sluice/llm/fetch';
import { createFakeProvider } from '@sluice/llm/testing';
import express from 'express';

const CALL = { model: 'small', messages: [{ role: 'user', content: 'Hello' }] };
const post = (url, headers = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...CALL, stream: true }),
  });

test('A gateway meters a stream, and refuses what its plan does not have', async () => {
  const provider = await createFakeProvider({ answer: { input: 12, output: 5 } });
  const llm = createLlm({
    call: (req) => req.body,
    plan: { rpm: 1, tpm: 1000, perDay: usd('1') },
    prices: priceTable({ small: { input: '1', output: '2' } }),
  });
  const app = express();
  const limit = rateLimit({ name: 'llm', keyGenerator: () => 'ann', ...llm.policy });
  app.post('/v1/chat/completions', express.json(), limit, (req, res) =>
    llm.relay({ req, res }, (body, signal) =>
      fetch(`${provider.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal,
      }),
    ),
  );
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}/v1/chat/completions`;
  const stream = await post(url);
  assert.equal(stream.status, 200);
  assert.match(await stream.text(), /data: \[DONE\]/);
  const refused = await post(url);
  assert.equal(refused.status, 429);
  assert.equal((await refused.json()).error.code, 'rate_limit_exceeded');
  server.close();
  server.closeAllConnections();
  await provider.close();
});

test('A fetch for a provider waits for its limiter', async () => {
  const provider = await createFakeProvider();
  const limiter = createLimiter({ limit: 5, window: '1m', keyGenerator: ({ key }) => key });
  const limited = providerFetch(limiter);
  const answer = await limited(`${provider.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(CALL),
  });
  assert.equal((await answer.json()).model, 'small');
  await provider.close();
});

test('The middleware for the ai package has the version of its specification', () => {
  const llm = createLlm({ call: ({ body }) => body, plan: { rpm: 1 } });
  const limiter = createLimiter({ limits: llm.policy.limits, keyGenerator: () => 'ann' });
  assert.equal(limitMiddleware({ llm, limiter }).specificationVersion, 'v4');
});
