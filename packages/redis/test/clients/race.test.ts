import { join } from 'node:path';
import { describe } from '@jest/globals';
import { raceSuite } from '@sluice/test-kit/race/race-suite';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { CONNECT } from './connections.js';

/** Empty for a process over each of the clients. Races over ioredis alone have a file of their own. */
describe.each([
  ['each client', []],
  ...Object.keys(CONNECT)
    .filter((name) => name !== 'ioredis 6')
    .map((name) => [name, [name]] as const),
])('over %s', (_, args) => {
  let server: RedisServer;

  withRedis((_client, started) => {
    server = started;
  });

  raceSuite(join(__dirname, 'racer.ts'), () => [`${server.port}`, ...args]);
});
