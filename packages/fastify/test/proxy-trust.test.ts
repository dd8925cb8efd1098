import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { emittedWarnings, expectOnly, type Warning } from '@sluice/test-kit/emitted-warnings';
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { rateLimit } from '../src/index.js';
import { minute } from './limited-app.js';

let warnings: readonly Warning[];
beforeEach(() => {
  warnings = emittedWarnings();
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** The plugin is in a scope, and the setting is the server's. */
const appTrusting = async (trust: unknown): Promise<FastifyInstance> => {
  const app = fastify({ trustProxy: trust as NonNullable<FastifyServerOptions['trustProxy']> });
  app.register(async (scope) => {
    await scope.register(rateLimit, minute(1));
    scope.get('/', async (request) => request.ip);
  });
  return app;
};
const statusFor = async (app: FastifyInstance, forwardedFor?: string): Promise<number> => {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return (await app.inject({ url: '/', headers })).statusCode;
};

describe('X-Forwarded-For', () => {
  const byLoopback = (address: string): boolean => address === '127.0.0.1';

  it.each([['loopback'], ['loopback, 10.0.0.0/8'], [['127.0.0.1', '10.0.0.0/8']], [byLoopback]])(
    'determines the key if trustProxy is %p, without a warning',
    async (trust) => {
      const app = await appTrusting(trust);
      expect(await statusFor(app, '203.0.113.7')).toBe(200);
      expect(await statusFor(app, '203.0.113.8')).toBe(200);
      expect(await statusFor(app, '198.51.100.1, 203.0.113.7')).toBe(429);
      expect(await statusFor(app, '2001:db8:0:100::1')).toBe(200);
      expect(await statusFor(app, '2001:db8:0:1ff::2')).toBe(429);
      expect(warnings).toEqual([]);
    },
  );

  it.each([[undefined], [false], [0], [1], [2]])('is ignored if trustProxy is %p, with one warning', async (trust) => {
    const app = await appTrusting(trust);
    expect(await statusFor(app, '203.0.113.7')).toBe(200);
    expect(await statusFor(app, '203.0.113.8')).toBe(429);
    expectOnly(warnings, 'SLUICE_PROXY_UNTRUSTED', 'behind-a-proxy.md');
  });

  it('is trusted from everybody if trustProxy is true, with one warning', async () => {
    const app = await appTrusting(true);
    expect(await statusFor(app, '203.0.113.7, 10.0.0.1')).toBe(200);
    expect(await statusFor(app, '203.0.113.8, 10.0.0.1')).toBe(200);
    expect(await statusFor(app, '203.0.113.7')).toBe(429);
    expectOnly(warnings, 'SLUICE_PROXY_TRUSTS_ALL', 'behind-a-proxy.md');
  });

  it.each([[undefined], [true], ['loopback'], [1]])('may be absent if trustProxy is %p', async (trust) => {
    const app = await appTrusting(trust);
    expect(await statusFor(app)).toBe(200);
    expect(await statusFor(app)).toBe(429);
    expect(warnings).toEqual([]);
  });
});
