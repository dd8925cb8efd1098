import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { emittedWarnings, expectOnly, type Warning } from '@sluice/test-kit/emitted-warnings';
import type { Express } from 'express';
import supertest from 'supertest';
import { byHeader, byIp, firstOf, type RateLimitOptions, rateLimit } from '../src/index.js';
import { onEveryExpress } from './every-express.js';

let warnings: readonly Warning[];
beforeEach(() => {
  warnings = emittedWarnings();
});
afterEach(() => {
  jest.restoreAllMocks();
});

onEveryExpress((express) => {
  const appTrusting = (trust?: unknown): Express => {
    const app = express();
    if (trust !== undefined) app.set('trust proxy', trust);
    app.use(rateLimit({ limit: 1, window: '1m' }));
    return app.get('/', (req, res) => void res.send(req.ip));
  };
  const statusFor = async (app: Express, forwardedFor?: string): Promise<number> => {
    const request = supertest(app).get('/');
    if (forwardedFor !== undefined) request.set('X-Forwarded-For', forwardedFor);
    return (await request).status;
  };

  describe('X-Forwarded-For', () => {
    const byLoopback = (address: string): boolean => /127\.0\.0\.1$/.test(address);

    it.each([[1], ['loopback'], ['loopback, 10.0.0.0/8'], [['loopback']], [byLoopback]])(
      'determines the key if trust proxy is %p, without a warning',
      async (trust) => {
        const app = appTrusting(trust);
        expect(await statusFor(app, '203.0.113.7')).toBe(200);
        expect(await statusFor(app, '203.0.113.8')).toBe(200);
        expect(await statusFor(app, '198.51.100.1, 203.0.113.7')).toBe(429);
        expect(await statusFor(app, '2001:db8:0:100::1')).toBe(200);
        expect(await statusFor(app, '2001:db8:0:1ff::2')).toBe(429);
        expect(warnings).toEqual([]);
      },
    );

    it.each([[undefined], [false], [0]])('is ignored if trust proxy is %p, with one warning', async (trust) => {
      const app = appTrusting(trust);
      expect(await statusFor(app, '203.0.113.7')).toBe(200);
      expect(await statusFor(app, '203.0.113.8')).toBe(429);
      expect(await statusFor(app)).toBe(429);
      expectOnly(warnings, 'SLUICE_PROXY_UNTRUSTED', 'behind-a-proxy.md');
    });

    it('is trusted from everybody if trust proxy is true, with one warning', async () => {
      const app = appTrusting(true);
      expect(await statusFor(app, '203.0.113.7, 10.0.0.1')).toBe(200);
      expect(await statusFor(app, '203.0.113.8, 10.0.0.1')).toBe(200);
      expect(await statusFor(app, '203.0.113.7')).toBe(429);
      expectOnly(warnings, 'SLUICE_PROXY_TRUSTS_ALL', 'behind-a-proxy.md');
    });

    it.each([[undefined], [false], [true], [1]])('may be absent if trust proxy is %p', async (trust) => {
      const app = appTrusting(trust);
      expect(await statusFor(app)).toBe(200);
      expect(await statusFor(app)).toBe(429);
      expect(warnings).toEqual([]);
    });

    it.each<[what: string, options: Pick<RateLimitOptions, 'keyGenerator' | 'denyList'>, isWarnedOf: boolean]>([
      ['a header', { keyGenerator: byHeader('x-api-key') }, false],
      ['one of its own', { keyGenerator: () => 'ann' }, false],
      ['a header or the address, which is there', { keyGenerator: firstOf(byHeader('x-api-key'), byIp()) }, false],
      ['the address', { keyGenerator: byIp() }, true],
      ['the address as it is', { keyGenerator: (req) => String(req.ip) }, true],
      ['the address and the path', { keyGenerator: [(req) => `${req.method} ${req.ip}`, (req) => req.path] }, true],
      ['a header or the address, which is not there', { keyGenerator: firstOf(byHeader('x-none'), byIp()) }, true],
      ['a header that is not there', { keyGenerator: byHeader('x-none') }, true],
      ['a header, beside a list of addresses', { keyGenerator: byHeader('x-api-key'), denyList: ['192.0.2.1'] }, true],
    ])('does not matter to a limiter without addresses: one by %s', async (_, options, isWarnedOf) => {
      const app = express().use(rateLimit({ limit: 1, window: '1m', ...options }));
      await supertest(app).get('/').set({ 'x-forwarded-for': '203.0.113.7', 'x-api-key': 'of ann' });
      await supertest(app).get('/').set({ forwarded: 'for=203.0.113.7', 'x-api-key': 'of ann' });
      const codes = isWarnedOf ? ['SLUICE_PROXY_UNTRUSTED', 'SLUICE_FORWARDED_UNREAD'] : [];
      expect(warnings.map(({ code }) => code)).toEqual(codes);
    });

    it('is read by the setting of the limiter’s application, inside another one', async () => {
      const outer = express();
      const inner = appTrusting('loopback');
      outer.use('/inner', inner);
      expect((await supertest(outer).get('/inner').set('X-Forwarded-For', '203.0.113.7')).text).toBe('203.0.113.7');
      expect((await supertest(outer).get('/inner').set('X-Forwarded-For', '203.0.113.8')).status).toBe(200);
      expect(warnings).toEqual([]);
    });
  });
});
