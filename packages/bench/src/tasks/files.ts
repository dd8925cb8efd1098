import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { rateLimit } from '@sluice/express';
import { RedisStore } from '@sluice/redis';
import express from 'express';
import { Redis } from 'ioredis';
import { executedFiles } from '../executed-files.js';

export interface FilesOptions {
  /** Of a Redis; absent: the limiter counts in memory. */
  readonly redisPort?: number;
}

/** Enough that every path is taken that only the first requests take. */
const WARM_REQUESTS = 200;

/** A timer may execute files of its own in the time of a request, but not in the time of each. */
const TRIALS = 50;

export async function start({ redisPort }: FilesOptions) {
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
    /** The source files that every allowed request executes, once the server is warm. */
    async run(): Promise<string[]> {
      for (let i = 0; i < WARM_REQUESTS; i += 1) await request();
      let all = await executedFiles(request);
      for (let trial = 1; trial < TRIALS; trial += 1) {
        const files = new Set(await executedFiles(request));
        all = all.filter((file) => files.has(file));
      }
      return all;
    },

    async end(): Promise<void> {
      server.close();
      await client?.quit();
    },
  };
}
