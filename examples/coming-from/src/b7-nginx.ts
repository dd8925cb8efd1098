import { byHeader, type Clock, concurrency, leakyBucket, MemoryStore, rateLimit, tokenBucket } from '@sluice/express';
import express, { type Express, type Request, type RequestHandler } from 'express';

/**
 * zone=one:10m. Nginx counts bytes and a store counts keys: ten megabytes are about 80,000 of nginx's. One store may be the
 * zone of many limits.
 */
export function createZone({ maxKeys = 80_000, ...clock }: { maxKeys?: number; clock?: Clock } = {}): MemoryStore {
  return new MemoryStore({ maxKeys, ...clock });
}

// limit_req_zone $binary_remote_addr zone=one:10m rate=10r/s;  limit_req zone=one burst=20 nodelay;
// The request that fits the rate, and 20 above it.
const NODELAY = tokenBucket({ capacity: 1 + 20, refillRate: 10 });

// limit_req zone=two burst=20;
const DELAY = leakyBucket({ capacity: 1 + 20, leakRate: 10 });

// limit_req zone=three burst=20 delay=8;
const TWO_STAGE = leakyBucket({ capacity: 1 + 20, leakRate: 10, immediate: 8 });

// limit_req_zone $http_x_api_key zone=keys:10m rate=100r/m;  limit_req zone=keys;
// One every 600 ms: without a burst, a rate of nginx's is a distance.
const KEYS = tokenBucket({ capacity: 1, refillRate: 100 / 60 });

// limit_conn_zone $binary_remote_addr zone=addr:10m;  limit_conn addr 2;
const CONNECTIONS = concurrency({ limit: 2, lease: '30s' });

/**
 * limit_req_zone $binary_remote_addr zone=api_limit:10m rate=10r/s;  limit_req zone=api_limit burst=20 nodelay;
 * limit_req_zone $http_x_api_key zone=user_limit:10m rate=100r/m;  limit_req zone=user_limit burst=5 nodelay;
 * limit_req_status 429;  error_page 429, which answers with JSON.
 */
export function createApi(store: MemoryStore): Express {
  const app = express();
  app.set('trust proxy', 'loopback');
  const message = { error: 'Too Many Requests', retry_after: 60 };

  // Of the locations that match, nginx uses the longest alone.
  const completions = '/api/v1/completions';
  app.use(
    completions,
    rateLimit({
      name: 'user_limit',
      limit: tokenBucket({ capacity: 1 + 5, refillRate: 100 / 60 }),
      keyGenerator: byHeader('x-api-key'),
      skip: (req) => !req.get('x-api-key'),
      message,
      store,
    }),
  );
  app.use(
    '/api/',
    rateLimit({
      name: 'api_limit',
      limit: NODELAY,
      skip: (req) => req.originalUrl.startsWith(completions),
      message,
      store,
    }),
  );
  app.use((_req, res) => {
    res.send('passed');
  });
  return app;
}

/** The server that had these lines in nginx.conf. A download takes as long as `download` says. */
export function createApp(store: MemoryStore, download: RequestHandler): Express {
  const app = express();
  app.set('trust proxy', 'loopback');

  app.use('/nodelay', rateLimit({ name: 'nodelay', limit: NODELAY, store }));
  app.use('/delay', rateLimit({ name: 'delay', limit: DELAY, store }));
  app.use('/two-stage', rateLimit({ name: 'three', limit: TWO_STAGE, store }));

  const isAnonymous = (req: Request) => !req.get('x-api-key'); // an empty key is not counted
  const byKey = { keyGenerator: byHeader('x-api-key'), skip: isAnonymous, store };
  app.use('/keys', rateLimit({ name: 'keys', limit: KEYS, ...byKey }));
  // What is mostly meant by it: a hundred in any minute, spread as the client likes.
  app.use('/minute', rateLimit({ name: 'minute', limit: 100, window: '1m', ...byKey }));

  // limit_conn_status 503, which is nginx's default, of limit_req too.
  app.use('/download', rateLimit({ name: 'addr', limit: CONNECTIONS, statusCode: 503, store }), download);

  // limit_req_dry_run on;
  app.use('/dry-run', rateLimit({ name: 'dry', limit: NODELAY, enforce: 0, store }), (req, res, next) => {
    res.set('X-Limit-Req-Status', req.rateLimit?.shadowed ? 'REJECTED_DRY_RUN' : 'PASSED');
    next();
  });

  app.use((_req, res) => {
    res.send('passed');
  });
  return app;
}
