import type { Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { rateLimit } from '@sluice/express';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import express from 'express';
import type { Cluster } from 'ioredis';
import request from 'supertest';
import { RedisStore } from '../src/index.js';

const USERS = 30;
const LOGINS = 20;

let cluster: RedisCluster;
let client: Cluster;
let server: Server | undefined;

beforeAll(async () => {
  cluster = await RedisCluster.start();
  client = cluster.connect();
  await client.ping();
}, 180_000);

afterAll(async () => {
  server?.close();
  await client?.quit();
  await cluster?.stop();
});

it('successful logins are free, and lock no key out, if addresses and users live on several nodes of a cluster', async () => {
  const app = express();
  app.set('trust proxy', true);
  const login = rateLimit({
    name: 'login',
    store: new RedisStore({ client, timeout: '20s' }),
    skipSuccessfulRequests: true,
    limits: [
      { name: 'address', limit: 5, window: '1h' },
      { name: 'user', limit: 5, window: '1h', keyGenerator: (req) => String(req.get('x-user')) },
    ],
  });
  app.get('/login', login, (req, res) => {
    res.sendStatus(req.get('x-password') === 'wrong' ? 401 : 204);
  });
  const listening = app.listen(0);
  server = listening;
  const attempt = async (user: number, password: string): Promise<number> => {
    const headers = { 'x-forwarded-for': `203.0.113.${user}`, 'x-user': `user-${user}`, 'x-password': password };
    return (await request(listening).get('/login').set(headers)).status;
  };
  const users = Array.from({ length: USERS }, (_, i) => i);
  for (let i = 0; i < LOGINS; i += 1) {
    expect(await Promise.all(users.map((user) => attempt(user, 'right')))).toEqual(users.map(() => 204));
  }
  for (let i = 0; i < 5; i += 1) {
    expect(await Promise.all(users.map((user) => attempt(user, 'wrong')))).toEqual(users.map(() => 401));
  }
  expect(await Promise.all(users.map((user) => attempt(user, 'right')))).toEqual(users.map(() => 429));
});
