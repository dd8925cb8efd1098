import assert from 'node:assert/strict';
import test from 'node:test';
import { limitedFetch, readRateLimit } from '@sluice/client';
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
