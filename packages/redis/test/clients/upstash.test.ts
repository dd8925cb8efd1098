import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { expectSameAsInMemory } from '@sluice/test-kit/differential/same-as-in-memory';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { Redis as Upstash } from '@upstash/redis';
import type { Redis } from 'ioredis';
import { storesOver } from '../differential/stores-over.js';
import { newStore } from './over-client.js';
import { UpstashProxy } from './upstash-proxy.js';

let looking: Redis;
let proxy: UpstashProxy;

withRedis((client) => {
  looking = client;
});

beforeAll(async () => {
  proxy = await UpstashProxy.start(looking);
});

afterAll(() => proxy.stop());

const AS_IT_COMES = 'as it comes';

// By default, the client sends the commands of one turn together, and reads replies as JSON wherever it can.
describe.each([
  [AS_IT_COMES, {}],
  ['without anything automatic', { enableAutoPipelining: false, automaticDeserialization: false }],
  ['without base64', { responseEncoding: false as const }],
])('over @upstash/redis, %s', (way, options) => {
  let client: Upstash;

  beforeAll(() => {
    client = new Upstash({ url: proxy.url, token: proxy.token, enableTelemetry: false, retry: false, ...options });
  });

  it('keeps the list of blocks, with what is known about them', async () => {
    const store = newStore(client);
    const limiter = createLimiter({ name: 'listed', limit: 5, window: '1h', store });
    await limiter.block('ann', '1d', { reason: '["a", 1]' });
    await limiter.block('17', '1d');
    expect(await limiter.inspect('ann')).toMatchObject({ block: { reason: '["a", 1]' } });
    const { entries } = await limiter.blocked();
    expect(entries.map(({ reason }) => reason).sort()).toEqual(['["a", 1]', undefined]);
    await store.close();
  });

  // As it comes, it passes the suite and plays more scenes, beside the other clients. The other ways differ in how the client reads replies.
  if (way !== AS_IT_COMES) {
    it('decides as in memory, whatever happens, to the last bit', () =>
      expectSameAsInMemory(storesOver(client), way, 10));
  }

  it('sends the script again after SCRIPT FLUSH, and loses no decision', async () => {
    const store = newStore(client);
    const limiter = createLimiter({ limit: 20, window: '1h', store });
    await limiter.consume('ann');
    await looking.script('FLUSH');
    const decisions = await Promise.all(Array.from({ length: 30 }, () => limiter.consume('ann')));
    expect(decisions.map(({ source }) => source)).toEqual(decisions.map(() => 'store'));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(19);
    await store.close();
  });
});
