import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { emittedWarnings, expectOnly, type Warning } from '@sluice/test-kit/emitted-warnings';
import express, { type Express, type RequestHandler } from 'express';
import supertest from 'supertest';
import type * as Sluice from '../src/index.js';

const TEN = { limit: 10, window: '1m' } as const;

let warnings: readonly Warning[];
let sluice: typeof Sluice;
beforeEach(() => {
  warnings = emittedWarnings();
  // What was seen of limiters is the process's.
  jest.isolateModules(() => {
    sluice = require('../src/index.js');
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** A limiter with a store of its own: there are a thousand of them. */
const ownLimiter = (): RequestHandler => sluice.rateLimit({ ...TEN, store: closedAfterTest(new sluice.MemoryStore()) });

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** On one port for all requests of an application, so that those are alike which ask for the same. */
const serverOf = (app: Express): Server => {
  const server = app.listen(0);
  servers.push(server);
  return server;
};

const appWith = (handler: RequestHandler): Server =>
  serverOf(express().use(handler, (_req, res) => void res.send('ok')));

async function ask(server: Server, times: number, pathOf = (_i: number) => '/'): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1) statuses.push((await supertest(server).get(pathOf(i))).status);
  return statuses;
}

describe('A limiter that is made inside a request handler', () => {
  it.each<[how: string, handlerOf: () => RequestHandler]>([
    ['without a store', () => (req, res, next) => sluice.rateLimit(TEN)(req, res, next)],
    [
      'with a store of its own',
      () => (req, res, next) => sluice.rateLimit({ ...TEN, store: new sluice.MemoryStore() })(req, res, next),
    ],
    ['by an asynchronous handler', () => async (req, res, next) => sluice.rateLimit(TEN)(req, res, next)],
  ])('causes one warning: %s', async (_, handlerOf) => {
    const app = appWith(handlerOf());
    expect(await ask(app, 10)).not.toContain(429);
    expect(warnings).toEqual([]);
    await ask(app, 12);
    expectOnly(warnings, 'SLUICE_LIMITER_IN_HANDLER', 'errors.md');
  });

  it('causes a warning if similar requests come among others', async () => {
    const app = appWith((req, res, next) => sluice.rateLimit(TEN)(req, res, next));
    await ask(app, 30, (i) => (i % 2 === 0 ? '/' : `/${i}`));
    expectOnly(warnings, 'SLUICE_LIMITER_IN_HANDLER', 'errors.md');
  });

  it('causes a warning after a thousand different requests', () => {
    const socket = new Socket();
    const limited = (i: number): void => {
      const { headers, res } = { headers: {}, res: { setHeader: () => {}, req: {}, headersSent: false } };
      const req = { method: 'GET', url: `/${i}`, headers, ip: '203.0.113.7', socket };
      ownLimiter()(req as never, res as never, () => {});
    };
    for (let i = 0; i < 999; i += 1) limited(i);
    expect(warnings).toEqual([]);
    limited(999);
    expectOnly(warnings, 'SLUICE_LIMITER_IN_HANDLER', 'errors.md');
  });

  it('is distinguished from limiters that are made on first use and kept', async () => {
    const limiters = new Map<string, RequestHandler>();
    const app = appWith((req, res, next) => {
      const tenant = req.path.slice(0, 3);
      const limiter = limiters.get(tenant) ?? sluice.rateLimit({ ...TEN, limit: 1000 });
      limiters.set(tenant, limiter);
      limiter(req, res, next);
    });
    await ask(app, 60, (i) => `/${i}`);
    await ask(app, 60, (i) => `/${i}`);
    await ask(app, 30);
    expect(warnings).toEqual([]);
  });

  it('is distinguished from limiters of unit tests, which make up requests', () => {
    const res = { setHeader: () => {}, req: {}, headersSent: false };
    const req = { method: 'GET', url: '/', headers: {}, ip: '203.0.113.7', socket: {} };
    for (let i = 0; i < 1100; i += 1) ownLimiter()({ ...req } as never, res as never, () => {});
    expect(warnings).toEqual([]);
  });

  it('is distinguished from limiters that share a store, which limit', async () => {
    const options = { ...TEN, store: new sluice.MemoryStore() };
    const app = appWith((req, res, next) => sluice.rateLimit(options)(req, res, next));
    expect((await ask(app, 15)).slice(9)).toEqual([200, 429, 429, 429, 429, 429]);
    expect(warnings).toEqual([]);
  });

  it('is distinguished from limiters of many applications, each called once', async () => {
    for (let i = 0; i < 25; i += 1) await ask(appWith(sluice.rateLimit(TEN)), 1);
    expect(warnings).toEqual([]);
  });
});
