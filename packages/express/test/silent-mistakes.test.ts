import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { emittedWarnings, expectOnly, type Warning } from '@sluice/test-kit/emitted-warnings';
import supertest from 'supertest';
import { byIp, ipKey, MemoryStore, type RateLimitOptions, rateLimit, slidingWindow } from '../src/index.js';
import { onEveryExpress } from './every-express.js';

const TEN = { limit: 10, window: '1m' } as const;

let warnings: readonly Warning[];
beforeEach(() => {
  warnings = emittedWarnings();
});
afterEach(() => {
  jest.restoreAllMocks();
});

onEveryExpress((express) => {
  type Handler = ReturnType<typeof rateLimit>;
  const appWith = (...handlers: Handler[]) => {
    const app = express().set('trust proxy', 'loopback');
    for (const handler of handlers) app.use(handler);
    return app.use((_req, res) => void res.send('ok'));
  };
  const ask = async (app: ReturnType<typeof appWith>, times: number, headers: Record<string, string> = {}) => {
    for (let i = 0; i < times; i += 1) await supertest(app).get('/').set(headers);
  };

  describe('A limiter that a request passes twice', () => {
    it('causes one warning', async () => {
      const limit = rateLimit(TEN);
      await ask(appWith(limit, limit), 3);
      expectOnly(warnings, 'SLUICE_COUNTED_TWICE', 'errors.md');
    });

    it('is detected after others, and if two share an options object and a store', async () => {
      const store = new MemoryStore();
      const options = { ...TEN, name: 'api', store };
      await ask(appWith(rateLimit(options), rateLimit({ ...TEN, name: 'site', store }), rateLimit(options)), 3);
      expectOnly(warnings, 'SLUICE_COUNTED_TWICE', 'errors.md');
    });

    it('is distinguished from two of one name on different stores, and from one that is skipped or peeked at', async () => {
      const turns = [false, true];
      const skip = () => turns.reverse()[0] === true;
      const sometimes = rateLimit({ ...TEN, skip });
      const peeking = rateLimit({ ...TEN, name: 'peeking' });
      const app = express().use(rateLimit(TEN), rateLimit(TEN), sometimes, sometimes, peeking);
      app.get('/', async (req, res) => {
        await peeking.peek(req, res);
        await peeking.consume(req, res);
        res.send('ok');
      });
      await ask(app, 3);
      expect(warnings).toEqual([]);
    });
  });

  describe('A keyGenerator', () => {
    const from = (keyGenerator: NonNullable<RateLimitOptions['keyGenerator']>, address: string, times = 3) =>
      ask(appWith(rateLimit({ ...TEN, keyGenerator })), times, { 'x-forwarded-for': address });

    it.each<[what: string, keyGenerator: NonNullable<RateLimitOptions['keyGenerator']>]>([
      ['gives the address as it is', (req) => req.ip],
      ['gives it later', async (req) => req.ip],
      ['gives it in a list', (req) => [req.ip ?? '', req.path]],
      ['gives it as one part of a compound key', [(req) => req.ip, (req) => req.path]],
    ])('that %s causes one warning for an IPv6 address', async (_, keyGenerator) => {
      await from(keyGenerator, '203.0.113.7');
      expect(warnings).toEqual([]);
      await from(keyGenerator, '2001:db8::1');
      expectOnly(warnings, 'SLUICE_KEY_IPV6', 'errors.md');
    });

    it.each<[what: string, keyGenerator: NonNullable<RateLimitOptions['keyGenerator']>]>([
      ['gives its network', (req) => ipKey(req.ip ?? '')],
      ['gives its network beside a path', [byIp(), (req) => req.path]],
      ['gives an address of IPv4 in the notation of IPv6', (req) => `::ffff:${'203.0.113.7'}${req.ip && ''}`],
      ['gives text with colons', (req) => `user:${req.ip}:7`],
      ['gives the id of a device, EUI-64', () => '00:1B:44:ff:fe:11:3a:b7'],
    ])('that %s causes no warning', async (_, keyGenerator) => {
      await from(keyGenerator, '2001:db8::1');
      expect(warnings).toEqual([]);
    });
  });

  it.each<[what: string, trust: unknown, headers: Record<string, string>, codes: string[]]>([
    ['without X-Forwarded-For, where no proxy is trusted', false, {}, ['SLUICE_FORWARDED_UNREAD']],
    ['where a proxy is trusted', 'loopback', {}, []],
    ['beside X-Forwarded-For', false, { 'x-forwarded-for': '203.0.113.7' }, ['SLUICE_PROXY_UNTRUSTED']],
  ])('Forwarded causes one warning: %s', async (_, trust, headers, codes) => {
    const app = appWith(rateLimit(TEN)).set('trust proxy', trust);
    await ask(app, 3, { forwarded: 'for=203.0.113.7', ...headers });
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });

  it('A limit of 0 causes a warning at construction; a tier of 0, or one that is not enforced, does not', async () => {
    rateLimit({ limits: [slidingWindow(TEN), { name: 'closed', limit: 0, window: '1m' }] });
    expectOnly(warnings, 'SLUICE_LIMIT_ZERO', 'errors.md');
    await ask(appWith(rateLimit({ limit: () => 0, window: '1m' }), rateLimit({ ...TEN, limit: 0, enforce: 0 })), 1);
    expect(warnings.length).toBe(1);
  });
});
