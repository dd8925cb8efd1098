import { once } from 'node:events';
import { createLimiter, createLine, everyone, type StoreRequest, tokenBucket } from '@sluice/core';
import { Redis } from 'ioredis';
import { RedisStore } from '../../src/index.js';

/** What a process is told to do. */
export interface Orders {
  /** The name of the policy. */
  readonly name: string;
  readonly jobs: number;
  readonly capacity: number;
  readonly perSecond: number;
}

/** What a process did. */
export interface Work {
  readonly done: number;
  /** How often it asked Redis for a job. */
  readonly asks: number;
  /** When its first job came to the line, and when its last one ran, by a clock that all processes share. */
  readonly fromMs: number;
  readonly toMs: number;
}

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

async function work({ name, jobs, capacity, perSecond }: Orders, client: Redis): Promise<Work> {
  const store = new RedisStore({ client, timeout: '10s' });
  let asks = 0;
  const consume = store.consume.bind(store);
  store.consume = (ask: StoreRequest) => {
    asks += 1;
    return consume(ask);
  };
  const limit = tokenBucket({ capacity, refillRate: perSecond });
  const line = createLine({ limiter: createLimiter<string, true>({ name, limit, keyGenerator: everyone(), store }) });
  const fromMs = nowMs();
  let done = 0;
  const job = (): void => {
    done += 1;
  };
  await Promise.all(Array.from({ length: jobs }, (_, i) => line.run(`tenant ${i % 10}`, job)));
  const toMs = nowMs();
  await store.close();
  return { done, asks, fromMs, toMs };
}

async function main(): Promise<void> {
  const client = new Redis(Number(process.argv[2]));
  await once(client, 'ready');
  // The first jobs of a process take longer, because their code is compiled.
  await work({ name: 'warm-up', jobs: 500, capacity: 5000, perSecond: 5000 }, client);
  process.send?.('ready');
  process.on('message', async (orders: Orders) => process.send?.(await work(orders, client)));
  process.once('disconnect', () => client.disconnect());
}

void main();
