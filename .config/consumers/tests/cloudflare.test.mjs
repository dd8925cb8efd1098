import assert from 'node:assert/strict';
import test from 'node:test';
import { DurableObjectStore, LimitsObject } from '@sluice/cloudflare';
import { createLimiter } from '@sluice/core';

/** A storage that has nothing, and takes nothing. */
const storage = {
  sql: { exec: () => ({ toArray: () => [] }) },
  transactionSync: (body) => body(),
  getAlarm: async () => null,
  sync: async () => {},
  setAlarm: async () => {},
  deleteAlarm: async () => {},
  deleteAll: async () => {},
};

test('A Worker counts in a Durable Object', async () => {
  const object = new LimitsObject({ storage });
  const namespace = {
    idFromName: (name) => name,
    get: () => ({ fetch: (url, init) => object.fetch(new Request(url, init)) }),
  };
  const store = new DurableObjectStore({ namespace, timeout: '5s' });
  const decision = await createLimiter({ limit: 1, window: '1h', store }).consume('ann');
  assert.equal(decision.source, 'store');
  assert.equal(decision.allowed, true);
  await store.close();
});
