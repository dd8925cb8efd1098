import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { rateLimit } from '@sluice/express';
import { RedisStore } from '@sluice/redis';
import express from 'express';
import { Redis } from 'ioredis';
import { type CalledFunction, calledFunctions, calledInBoth } from '../called-functions.js';

export interface RequestOptions {
  /** Of a Redis; absent: the limiter counts in memory. */
  readonly redisPort?: number;
}

/** Enough that every path is taken that only the first requests take. */
const WARM_REQUESTS = 200;

/** A timer may call functions in the time of a request, but not in the time of each. */
const TRIALS = 50;

export async function start({ redisPort }: RequestOptions) {
  const client = redisPort === undefined ? undefined : new Redis(redisPort, '127.0.0.1');
  const app = express();
  const limits = { limit: 1_000_000, window: '1h' } as const;
  app.use(client ? rateLimit({ ...limits, store: new RedisStore({ client, timeout: '10s' }) }) : rateLimit(limits));
  app.get('/', (_req, res) => void res.json({ hello: 'world' }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const request = async (): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    await response.text();
    if (response.status !== 200) throw new Error(`The request was answered ${response.status}`);
  };
  return {
    /** The functions that every allowed request calls, once the server is warm. */
    async run(): Promise<CalledFunction[]> {
      for (let i = 0; i < WARM_REQUESTS; i += 1) await request();
      let all = await calledFunctions(request);
      for (let trial = 1; trial < TRIALS; trial += 1) all = calledInBoth(all, await calledFunctions(request));
      return all;
    },

    async end(): Promise<void> {
      server.close();
      await client?.quit();
    },
  };
}
