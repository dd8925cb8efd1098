import { expect, it } from '@jest/globals';
import { concurrency, type RateLimitOptions, rateLimit, respond } from '@sluice/fetch';
import { DurableObjectStore } from '../src/index.js';
import { TestNamespace } from './objects.js';

const POLICIES: Readonly<Record<string, Partial<RateLimitOptions>>> = {
  'a slot': { limit: concurrency({ limit: 1, lease: '1h' }) },
  'the charge of a failure': { limit: 1, window: '1h', skipFailedRequests: true },
};

it.each(Object.keys(POLICIES))('A Worker waits until its object has got %s back after the response', async (what) => {
  const kept: Promise<unknown>[] = [];
  const store = new DurableObjectStore({ namespace: new TestNamespace(), waitUntil: (one) => void kept.push(one) });
  const options = { name: 'api', store, keyGenerator: () => 'ann', ...POLICIES[what] } as RateLimitOptions;
  const limit = rateLimit(options);
  const statuses: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const request = new Request('https://worker.example/');
    const refused = await limit(request);
    await Promise.all(kept.splice(0));
    const response = refused ?? (await respond(request, () => new Response('broken', { status: 500 })));
    statuses.push(response.status);
    await response.text();
    await new Promise(setImmediate);
    expect(kept).toHaveLength(1);
    await Promise.all(kept.splice(0));
  }
  expect(statuses).toEqual([500, 500, 500]);
});

it('A call that fails fails for whoever made it, and not for the Worker', async () => {
  const kept: Promise<unknown>[] = [];
  const stub = { fetch: () => Promise.reject(new Error('the object is gone')) };
  const namespace = { idFromName: (name: string) => name, get: () => stub };
  const store = new DurableObjectStore({ namespace, waitUntil: (one) => void kept.push(one) });
  await expect(store.reset([{ policy: 'api', name: 'api', key: 'ann' }])).rejects.toMatchObject({
    code: 'SLUICE_STORE',
  });
  expect(await Promise.all(kept)).toEqual([undefined]);
});
