import { EventEmitter } from 'node:events';
import { IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { configure } from '@codegenie/serverless-express';
import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { until } from '@sluice/test-kit/until';
import type { Express, NextFunction, Request, Response } from 'express';
import serverlessHttp from 'serverless-http';
import { concurrency, MemoryStore, type RateLimitOptions, rateLimit, slidingWindow } from '../src/index.js';
import { onEveryExpress } from './every-express.js';

/** Calls an application as a function. */
type Invoke = (path: string) => Promise<number>;

const ADDRESS = '203.0.113.7';

/** What a gateway gives a function: a request, in the second version of its format. */
const eventOf = (path: string) => ({
  version: '2.0',
  routeKey: '$default',
  rawPath: path,
  rawQueryString: '',
  headers: { host: 'api.example' },
  requestContext: {
    accountId: '',
    apiId: '',
    domainName: 'api.example',
    domainPrefix: 'api',
    http: { method: 'GET', path, protocol: 'HTTP/1.1', sourceIp: ADDRESS, userAgent: '' },
    requestId: 'id',
    routeKey: '$default',
    stage: '$default',
    time: '01/Jan/2026:00:00:00 +0000',
    timeEpoch: 1_767_225_600_000,
  },
  isBase64Encoded: false,
});

const WRAPPERS: readonly [name: string, wrap: (app: Express) => Invoke][] = [
  [
    'serverless-http',
    (app) => {
      const handler = serverlessHttp(app);
      return async (path) => ((await handler(eventOf(path), {})) as { statusCode: number }).statusCode;
    },
  ],
  [
    '@codegenie/serverless-express',
    (app) => {
      const handler = configure({ app }) as unknown as (
        event: object,
        context: object,
      ) => Promise<{ statusCode: number }>;
      return async (path) => (await handler(eventOf(path), {})).statusCode;
    },
  ],
];

const FIVE = slidingWindow({ limit: 5, window: '1m' });

onEveryExpress((express) => {
  describe.each(WRAPPERS)('An application called by %s', (_, wrap) => {
    /** Answers `/404` with 404. */
    const start = (own: Pick<RateLimitOptions, 'skipFailedRequests' | 'skipSuccessfulRequests'>, limit = FIVE) => {
      const store = new MemoryStore({ clock: new ManualClock() });
      const limiter = rateLimit({ ...own, limit, store, keyGenerator: () => 'ann' });
      const hanging: (() => void)[] = [];
      const app = express().use(limiter);
      app.get('/hanging', (_req, res) => {
        hanging.push(() => void res.send('at last'));
      });
      app.use((req: Request, res: Response) => void res.status(Number(req.path.slice(1))).send('done'));
      const invoke = wrap(app);
      return {
        hanging,
        invoke,
        /** What is left once what follows an answer has been done. */
        left: async () => {
          await turnOfTheLoop();
          return (await limiter.peek('ann')).verdicts.map(({ remaining }) => remaining);
        },
      };
    };

    it('gives back the charge of failed requests, with skipFailedRequests, and refuses above the limit', async () => {
      const { invoke, left } = start({ skipFailedRequests: true });
      for (const path of ['/404', '/500', '/404']) expect(await invoke(path)).toBe(Number(path.slice(1)));
      expect(await left()).toEqual([5]);
      for (let i = 0; i < 5; i += 1) expect(await invoke('/200')).toBe(200);
      expect(await left()).toEqual([0]);
      expect([await invoke('/200'), await invoke('/404')]).toEqual([429, 429]);
    });

    it('gives back the charge of successful requests, with skipSuccessfulRequests', async () => {
      const { invoke, left } = start({ skipSuccessfulRequests: true });
      for (let i = 0; i < 7; i += 1) expect(await invoke('/200')).toBe(200);
      expect(await left()).toEqual([5]);
      for (let i = 0; i < 5; i += 1) expect(await invoke('/404')).toBe(404);
      expect(await invoke('/200')).toBe(429);
    });

    it('frees the slot when it has answered', async () => {
      const { invoke, left, hanging } = start({}, concurrency({ limit: 1, lease: '30s' }));
      for (let i = 0; i < 3; i += 1) expect(await invoke('/200')).toBe(200);
      const slow = invoke('/hanging');
      await until(() => hanging.length > 0);
      expect(await invoke('/200')).toBe(429);
      hanging[0]?.();
      expect(await slow).toBe(200);
      expect(await left()).toEqual([1]);
    });
  });

  it('charges and corrects a response without a request as usual', async () => {
    const limiter = rateLimit({
      limit: FIVE,
      skipFailedRequests: true,
      store: new MemoryStore({ clock: new ManualClock() }),
      keyGenerator: () => 'ann',
    });
    const left = async (): Promise<number> => (await limiter.peek('ann')).tightest.remaining;
    const meet = async (res: object): Promise<void> => {
      const req = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/' });
      await new Promise<void>((resolve) =>
        limiter(req as Request, res as ServerResponse, (() => resolve()) as NextFunction),
      );
    };
    /** As tests make it by hand. */
    const mock = (statusCode: number) =>
      Object.assign(new EventEmitter(), { statusCode, headersSent: false, setHeader: () => {} });
    for (const [status, remaining] of [
      [500, 5],
      [200, 4],
    ] as const) {
      const res = mock(status);
      await meet(res);
      expect(await left()).toBe(4);
      res.emit('finish');
      expect(await left()).toBe(remaining);
    }
  });
});
