import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rateLimit } from '@sluice/express';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { TestProgram } from '@sluice/test-kit/test-program';
import express from 'express';
import type { Ends, Orders } from './processes/worker.js';

/** The full form needs minutes of real time, on a machine with nothing else to do: see `npm run proof`. */
const IS_FULL = process.env.SLUICE_CLIENT === 'full';
const PROCESSES = IS_FULL ? 8 : 2;
const TIMEOUT_MS = 600_000;

let redis: RedisServer;
let program: TestProgram;
let workers: readonly ChildProcess[] = [];
let server: Server;
let url: string;

/** The answers of the server, with their times. */
const answers: { readonly status: number; readonly atMs: number; readonly process: string }[] = [];
/** The header field `Retry-After` of the next answer, which then has the status 429. */
let retryAfter: string | undefined;

withRedis((_, given) => {
  redis = given;
});

beforeAll(async () => {
  const app = express();
  app.use((req, res, next) => {
    const process = String(req.headers['x-process']);
    res.on('finish', () => answers.push({ status: res.statusCode, atMs: performance.now(), process }));
    if (retryAfter === undefined) return next();
    res.set('Retry-After', retryAfter).sendStatus(429);
    retryAfter = undefined;
  });
  app.use('/limited', rateLimit({ limit: 100, window: '10s' }));
  app.use((_req, res) => void res.send('fine'));
  server = createServer(app).listen(0);
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  program = await TestProgram.build(join(__dirname, 'processes/worker.ts'));
  workers = Array.from({ length: PROCESSES }, () => fork(program.path, [`${redis.port}`], { execArgv: [] }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
}, TIMEOUT_MS);

afterAll(async () => {
  const exits = workers.map((worker) => once(worker, 'exit'));
  for (const worker of workers) worker.disconnect();
  await Promise.all(exits);
  program.remove();
  server.closeAllConnections();
  server.close();
}, TIMEOUT_MS);

/** Lets these processes do what they are told, and returns how their calls ended. */
async function work(members: readonly ChildProcess[], orders: Orders): Promise<readonly Ends[]> {
  const ends = members.map((worker) => once(worker, 'message') as Promise<[Ends]>);
  for (const worker of members) worker.send(orders);
  return (await Promise.all(ends)).map(([end]) => end);
}

/** The answers since the time that is given. */
function since(startMs: number): typeof answers {
  return answers.filter(({ atMs }) => atMs >= startMs);
}

function countOf(status: number, of: readonly { readonly status: number }[]): number {
  return of.filter((answer) => answer.status === status).length;
}

describe('clients of several processes with one Redis', () => {
  it(
    'stop together if one of them is told to',
    async () => {
      // So all of them have learned the limit.
      await work(workers, { url: `${url}/limited`, calls: 5, maxWait: '20s' });
      retryAfter = '3600';
      const startMs = performance.now();
      const [[first], others] = [
        await work(workers.slice(0, 1), { url, calls: 1, maxWait: '0s' }),
        await work(workers, { url, calls: 5, maxWait: '1s' }),
      ];
      expect(first).toEqual({ 429: 1 });
      expect(others).toEqual(workers.map(() => ({ SLUICE_REFUSED: 5 })));
      expect(since(startMs)).toHaveLength(1);
    },
    TIMEOUT_MS,
  );
});

(IS_FULL ? describe : describe.skip)('in real time', () => {
  it(
    'are hardly ever refused, and use the limit of a server',
    async () => {
      const seconds = 300;
      const startMs = performance.now();
      // Another path has the same key, so the stop of the test before is still in force: use another origin.
      const origin = url.replace('127.0.0.1', 'localhost');
      await work(workers, { url: `${origin}/limited`, perSecond: 20 / PROCESSES, seconds, wayMs: 40 });
      const all = since(startMs).filter(({ atMs }) => atMs < startMs + seconds * 1000);
      const early = all.filter(({ atMs }) => atMs < startMs + 60_000);
      const later = all.filter((answer) => !early.includes(answer));
      const parts = [
        countOf(429, early) / early.length,
        countOf(429, later) / later.length,
        countOf(200, all) / (seconds * 10),
      ];
      const [first, last, used] = parts.map((part) => `${(100 * part).toFixed(2)} %`);
      process.stdout.write(
        `client: 8 processes over Redis, ${seconds} s: ${first} refused in the first minute, ${last} later, ${used} of the limit used\n`,
      );
      expect(parts[0]).toBeLessThanOrEqual(0.02);
      expect(parts[1]).toBeLessThanOrEqual(0.001);
      expect(parts[2]).toBeGreaterThanOrEqual(0.9);
    },
    TIMEOUT_MS,
  );

  it(
    'are silent for as long as a server says, and then all come back',
    async () => {
      const origin = url.replace('127.0.0.1', '127.0.0.2');
      const four = workers.slice(0, 4);
      const works = work(four, { url: origin, perSecond: 10, seconds: 50, wayMs: 0 });
      await pause(5000);
      retryAfter = '30';
      await works;
      const stop = answers.findLast(({ status }) => status === 429);
      const stoppedMs = stop?.atMs ?? 0;
      // What was under way when the server said so cannot be called back.
      const after = answers.filter(({ atMs }) => atMs > stoppedMs + 100);
      const backMs = new Map<string, number>();
      for (const { process, atMs } of after)
        backMs.set(process, Math.min(backMs.get(process) ?? Infinity, atMs - stoppedMs));
      const times = [...backMs.values()].map((ms) => (ms / 1000).toFixed(1)).sort();
      process.stdout.write(`client: after Retry-After: 30, four processes were back after ${times.join(', ')} s\n`);
      expect(backMs.size).toBe(4);
      for (const ms of backMs.values()) {
        expect(ms).toBeGreaterThanOrEqual(30_000);
        expect(ms).toBeLessThanOrEqual(34_000);
      }
    },
    TIMEOUT_MS,
  );
});
