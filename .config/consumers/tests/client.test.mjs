import assert from 'node:assert/strict';
import test from 'node:test';
import { limitedFetch, readRateLimit } from '@sluice/client';
import { decisions } from '@sluice/client/decisions';
import { slidingWindow } from '@sluice/core';

test('The client refuses what would come too late, and sends nothing', async () => {
  let sent = 0;
  const api = limitedFetch({
    limit: slidingWindow({ limit: 1, window: '1m' }),
    maxWait: 0,
    fetch: async () => {
      sent += 1;
      return new Response('fine', { headers: { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' } });
    },
  });
  const { headers } = await api('http://server.example/');
  assert.deepEqual(readRateLimit(headers), [{ unit: 'requests', limit: 60, remaining: 59 }]);
  await assert.rejects(api('http://server.example/'), { code: 'SLUICE_REFUSED' });
  assert.equal(sent, 1);
});

test('A limiter over a decision service that is not there decides by onStoreError', async () => {
  const remote = decisions({ url: 'http://127.0.0.1:1', policy: 'api', onStoreError: 'deny', deadline: '5s' });
  const { allowed, source } = await remote.consume({ ip: '192.0.2.1' });
  assert.deepEqual({ allowed, source }, { allowed: false, source: 'deny' });
  await remote.close();
});
