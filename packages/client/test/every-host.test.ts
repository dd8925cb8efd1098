import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { limitedFetch } from '@sluice/client';
import type { StartAdapter } from '@sluice/conformance';
import { concurrency, MemoryStore, slidingWindow, tokenBucket } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import express5 from 'express';
import express4 from 'express4';
import { startOn } from '../../express/test/express-host.js';
import { start as startOnFastify } from '../../fastify/test/fastify-host.js';
import { start as startOnFetch } from '../../fetch/test/fetch-host.js';
import { start as startOnHono } from '../../hono/test/hono-host.js';
import { start as startOnKoa } from '../../koa/test/koa-host.js';
import {
  startOnExpress as startNestOnExpress,
  startOnFastify as startNestOnFastify,
} from '../../nestjs/test/nest-host.js';

const HOSTS: readonly [name: string, start: StartAdapter][] = [
  ['Express 4', startOn(express4)],
  ['Express 5', startOn(express5)],
  ['Fastify', startOnFastify],
  ['Nest on Express', startNestOnExpress],
  ['Nest on Fastify', startNestOnFastify],
  ['Hono', startOnHono],
  ['fetch', startOnFetch],
  ['Koa', startOnKoa],
];

const IS_FULL = process.env.SLUICE_CLIENT === 'full';
const REQUESTS = IS_FULL ? 10_000 : 40;
/** The rate of the server, in requests a second. */
const RATE = IS_FULL ? 10 : 3;
const CALLERS = 12;

/** What a server limits: by windows, by a bucket, and how many requests are open. */
const LIMITS = [
  { name: 'window', limit: slidingWindow({ limit: 10 * RATE, window: '10s' }) },
  { name: 'bucket', limit: tokenBucket({ capacity: 3 * RATE, refillRate: 1.5 * RATE }) },
  { name: 'open', limit: concurrency({ limit: 8, lease: '1m' }) },
];

describe.each(HOSTS)('a client that learns, on %s', (name, start) => {
  it(`meets no refusal in ${REQUESTS} requests`, async () => {
    const clock = new QueueClock();
    const server = await start({
      policies: () => [{ store: new MemoryStore({ clock }), keyGenerator: () => 'everybody', limits: LIMITS }],
      handle: () => ({ status: 200, body: 'fine' }),
    });
    let inFlight = 0;
    const api = limitedFetch({
      store: new MemoryStore({ clock }),
      maxWait: '1d',
      fetch: async (...args) => {
        inFlight += 1;
        return fetch(...args).finally(() => {
          inFlight -= 1;
        });
      },
    });
    const statuses = new Map<number, number>();
    let left = REQUESTS;
    const caller = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const response = await api(server.url);
        await response.text();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      }
    };
    const startMs = clock.now();
    let isOver = false;
    const callers = Promise.all(Array.from({ length: CALLERS }, caller)).finally(() => {
      isOver = true;
    });
    // The network takes no time by this clock: it stands while a request is under way.
    while (!isOver) {
      await turnOfTheLoop();
      if (inFlight === 0 && clock.asleep() > 0) clock.advance(20);
    }
    await callers;
    await server.close();
    const seconds = (clock.now() - startMs) / 1000;
    expect(statuses).toEqual(new Map([[200, REQUESTS]]));
    // The first window is free, and a short run ends within one.
    const used = (REQUESTS / RATE - 10) / seconds;
    if (!IS_FULL) return;
    expect(used).toBeGreaterThanOrEqual(0.9);
    const share = (100 * used).toFixed(0);
    process.stdout.write(`client on ${name}: ${REQUESTS} requests, none refused, ${share} % of the limit used\n`);
  }, 600_000);
});
