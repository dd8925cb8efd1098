import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/core/testing';
import { Redis } from 'ioredis';
import { ResilientStore } from '../../core/src/resilience/resilient-store.js';
import { RedisStore } from '../src/index.js';
import { RedisServer } from './redis-server.js';

let server: RedisServer;
let client: Redis;

beforeAll(async () => {
  server = await RedisServer.start();
  client = new Redis(server.port);
});

afterAll(async () => {
  await client.quit();
  await server.stop();
});

// As every policy asks it: the wrapper adds a deadline, a breaker and a time after which nothing is charged, and changes no answer.
storeSuite(
  'RedisStore behind its deadline and breaker',
  async (clock) => {
    await client.flushall();
    return new ResilientStore(new RedisStore({ client, clock, timeout: '5s' }));
  },
  { describe, it },
);
