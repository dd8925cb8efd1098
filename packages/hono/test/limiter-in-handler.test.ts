import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { emittedWarnings, expectOnly, type Warning } from '@sluice/test-kit/emitted-warnings';
import { Hono } from 'hono';
import type * as Sluice from '../src/index.js';

const TEN = { limit: 10, window: '1m', keyGenerator: () => 'all' } as const;

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

const appWithMistake = (): Hono =>
  new Hono().use((c, next) => sluice.rateLimit(TEN)(c, next)).get('/', (c) => c.text('hello'));

describe('A limiter that is made inside a handler', () => {
  it('causes one warning on Node', async () => {
    const server = await new Promise<ServerType>((resolve) => {
      const listening = serve({ fetch: appWithMistake().fetch, hostname: '127.0.0.1', port: 0 }, () =>
        resolve(listening),
      );
    });
    const { port } = server.address() as AddressInfo;
    for (let i = 0; i < 22; i += 1) expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
    server.close();
    expectOnly(warnings, 'SLUICE_LIMITER_IN_HANDLER', 'errors.md');
  });

  it('is distinguished from limiters of unit tests, which call an application without a server', async () => {
    for (let i = 0; i < 30; i += 1) {
      const app = new Hono().use(sluice.rateLimit(TEN)).get('/', (c) => c.text('hello'));
      expect((await app.request('/')).status).toBe(200);
    }
    expect(warnings).toEqual([]);
  });
});
