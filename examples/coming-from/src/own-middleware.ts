import { byHeader, byIp, firstOf, fixedWindow, leakyBucket, rateLimit, type Store, tokenBucket } from '@sluice/express';
import express, { type Express, type Request, type Response } from 'express';

export interface OwnMiddlewareOptions {
  readonly store: Store;
  /** What wrote the answer to a refused request. */
  readonly onLimitReached?: (req: Request, res: Response) => void;
}

/** The body that the application had. */
export function tooMany(req: Request, res: Response): void {
  res.status(429).json({ error: 'Too Many Requests', message: `Rate limit exceeded for ${req.baseUrl}` });
}

/** The application that had three classes of its own, and one middleware around each. */
export function createApp({ store, onLimitReached = tooMany }: OwnMiddlewareOptions): Express {
  const app = express();
  // It took the first entry of X-Forwarded-For, which every client can write. Here the proxy is named.
  app.set('trust proxy', 'loopback');
  const shared = {
    keyGenerator: firstOf(byHeader('api-key'), byIp()),
    skip: (req: Request) => req.path === '/health',
    onLimitReached,
    store,
  };

  // { capacity: 10, refillRate: 1, consumePerRequest: 5 }
  app.use(
    '/bucket',
    rateLimit({ name: 'bucket', limit: tokenBucket({ capacity: 10, refillRate: 1 }), cost: 5, ...shared }),
  );

  // { capacity: 2, leakRate: 1 }
  app.use('/queue', rateLimit({ name: 'queue', limit: leakyBucket({ capacity: 2, leakRate: 1 }), ...shared }));

  // { threshold: 10, windowSizeMs: 5000 }
  app.use('/window', rateLimit({ name: 'window', limit: fixedWindow({ limit: 10, window: 5000 }), ...shared }));

  app.use((_req, res) => {
    res.send('passed');
  });
  return app;
}
