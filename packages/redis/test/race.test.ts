import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { raceSuite } from '@sluice/test-kit/race/race-suite';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import type { Redis } from 'ioredis';
import { CountedScripts } from './counted-scripts.js';

let server: RedisServer;
let client: Redis;

withRedis((...given) => {
  [client, server] = given;
});

raceSuite(join(__dirname, 'race/racer.ts'), () => [`${server.port}`]);

it('At least a quarter of the calls are decided without kernels: those about plain limits alone', async () => {
  const [, calls] = /cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats')) ?? [];
  expect(await new CountedScripts(client).generalCalls()).toBeLessThan((3 * Number(calls)) / 4);
});
