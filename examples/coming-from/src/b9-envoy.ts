import { everyone, rateLimit, type Store, tokenBucket } from '@sluice/express';
import express, { type Express } from 'express';

/** token_bucket: { max_tokens: 100, tokens_per_fill: 10, fill_interval: 1s }, as current versions fill it: continuously. */
export const BUCKET = tokenBucket({ capacity: 100, refillRate: 10 });

/** As earlier versions filled it, by a timer: ten at the end of every second. */
export const BY_INTERVAL = tokenBucket({ capacity: 100, refillRate: 10, refillInterval: '1s' });

export interface EnvoyOptions {
  store: Store;
  /** filter_enabled: the share of requests that are counted at all. */
  enabled?: number;
  /** filter_enforced: the share of these that are refused when there is no token. */
  enforced?: number;
  random?: () => number;
}

/** The local rate limit filter: one bucket for everybody, in this process. */
export function createApp({ store, enabled = 1, enforced = 1, random = Math.random }: EnvoyOptions): Express {
  const app = express();
  app.use(
    rateLimit({
      name: 'http_local_rate_limiter', // stat_prefix
      limit: BUCKET,
      keyGenerator: everyone(),
      skip: () => random() >= enabled,
      enforce: () => (random() < enforced ? 1 : 0), // decided for each request, as there
      onLimitReached: (_req, res) => {
        res.set('x-local-rate-limit', 'true'); // response_headers_to_add
      },
      message: 'local_rate_limited',
      store,
    }),
  );
  app.get('/', (req, res) => {
    res.send(req.rateLimit?.shadowed ? 'not enforced' : 'passed'); // request_headers_to_add_when_not_enforced
  });
  return app;
}

/** What a roll-out to a tenth of the clients wants: the same ones all the time, each with a bucket of its own. */
export function createRollOut(store: Store): Express {
  const app = express();
  app.set('trust proxy', 'loopback');
  app.use(rateLimit({ name: 'roll-out', limit: BUCKET, enforce: 0.1, store }));
  app.get('/', (_req, res) => {
    res.send('passed');
  });
  return app;
}
