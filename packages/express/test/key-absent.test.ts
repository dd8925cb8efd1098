import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { emittedWarnings, expectOnly, type Warning } from '@sluice/test-kit/emitted-warnings';
import type { ErrorRequestHandler, Express } from 'express';
import supertest from 'supertest';
import { byHeader, firstOf, ipKey, type RateLimitOptions, rateLimit } from '../src/index.js';
import { onEveryExpress } from './every-express.js';

let warnings: readonly Warning[];
beforeEach(() => {
  warnings = emittedWarnings();
});
afterEach(() => {
  jest.restoreAllMocks();
});

onEveryExpress((express) => {
  const appBy = (keyGenerator: NonNullable<RateLimitOptions['keyGenerator']>): Express => {
    const app = express();
    app.use(rateLimit({ limit: 1000, window: '1m', keyGenerator }));
    return app.get('/', (_req, res) => void res.send('ok'));
  };
  const ask = async (app: Express, times: number, headers: Record<string, string> = {}): Promise<void> => {
    for (let i = 0; i < times; i += 1) await supertest(app).get('/').set(headers).expect(200);
  };

  it('A request without an address, as over a Unix socket, is an error that names the fix, and causes no warning', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-'));
    const app = express().use(rateLimit({ limit: 5, window: '1m' }));
    const onError: ErrorRequestHandler = (error, _req, res, _next) => void res.status(500).send(String(error.message));
    const server = createServer(app.use(onError)).listen(join(directory, 'socket'));
    await once(server, 'listening');
    try {
      for (let i = 0; i < 25; i += 1) {
        const asked = get({ socketPath: join(directory, 'socket'), agent: false });
        const [answer] = (await once(asked, 'response')) as [IncomingMessage];
        expect(await text(answer)).toMatch(/no address to count by .*: set a keyGenerator, .*\(SLUICE_KEY\)$/);
      }
    } finally {
      server.close();
      await rm(directory, { recursive: true });
    }
    expect(warnings).toEqual([]);
  });

  describe('A keyGenerator', () => {
    it.each<[what: string, keyGenerator: NonNullable<RateLimitOptions['keyGenerator']>]>([
      ['reads a header that nobody sends', byHeader('x-api-key')],
      ['answers null', () => null],
      ['answers undefined later', async () => undefined],
      ['lacks a part of its compound key', [() => 'a', byHeader('x-api-key')]],
    ])('that %s causes one warning after 20 requests', async (_, keyGenerator) => {
      const app = appBy(keyGenerator);
      await ask(app, 19);
      expect(warnings).toEqual([]);
      await ask(app, 11);
      expectOnly(warnings, 'SLUICE_KEY_ABSENT', 'errors.md');
    });

    it('that has returned a key once causes no warning', async () => {
      const app = appBy(byHeader('x-api-key'));
      await ask(app, 19);
      await ask(app, 1, { 'x-api-key': 'secret' });
      await ask(app, 21);
      expect(warnings).toEqual([]);
    });

    it.each<[what: string, keyGenerator: NonNullable<RateLimitOptions['keyGenerator']>]>([
      ['falls back itself', firstOf(byHeader('x-api-key'), (req) => ipKey(req.ip ?? ''))],
      ['answers 0', () => 0],
      ['answers an empty text', () => ''],
    ])('that %s causes no warning', async (_, keyGenerator) => {
      await ask(appBy(keyGenerator), 25);
      expect(warnings).toEqual([]);
    });
  });
});
