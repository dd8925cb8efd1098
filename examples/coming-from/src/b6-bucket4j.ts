import {
  byHeader,
  createLimiter,
  everyone,
  type Limiter,
  MemoryStore,
  rateLimit,
  type Store,
  tokenBucket,
} from '@sluice/express';
import express, { type Express } from 'express';

/** Bandwidth.builder().capacity(20).refillGreedy(20, ofMinutes(1)): a rate is units per second. */
const PER_MINUTE = tokenBucket({ name: 'minute', capacity: 20, refillRate: 20 / 60 });

/** capacity(5).refillGreedy(5, ofSeconds(1)) */
const PER_SECOND = tokenBucket({ name: 'second', capacity: 5, refillRate: 5 });

/** capacity(100).refillIntervally(100, ofHours(1)): all at once, when the hour is over. */
export const INTERVALLY = tokenBucket({ name: 'hour', capacity: 100, refillRate: 100, refillInterval: '1h' });

/** Bucket.builder().addLimit(...).addLimit(...).build() */
export function createBucket(store = new MemoryStore()): Limiter<string, false> {
  return createLimiter({ name: 'bucket', limits: [PER_MINUTE, PER_SECOND], store });
}

/** bucket.tryConsumeAndReturnRemaining(tokens) */
export function probe(bucket: Limiter<string, false>, key: string, tokens: number) {
  const { allowed, verdicts, retryAfterMs } = bucket.consume(key, { cost: tokens });
  return {
    isConsumed: allowed,
    remainingTokens: Math.min(...verdicts.map(({ remaining }) => remaining)),
    nanosToWaitForRefill: retryAfterMs === 'never' ? Infinity : retryAfterMs * 1e6,
  };
}

/** The filter before a controller: one bucket for everybody, 429 with the time to wait. */
export function createApp(store: Store): Express {
  const app = express();
  app.use(rateLimit({ name: 'api', limits: [PER_MINUTE, PER_SECOND], keyGenerator: everyone(), store }));
  app.get('/', (_req, res) => {
    res.send('hello');
  });
  return app;
}

/** The filter by API key: 100 tokens refilled greedily within a minute, 401 without a key, a body of the service's own. */
export function createKeyedApp(store: Store): Express {
  const app = express();
  app.use(
    rateLimit({
      name: 'keyed',
      limit: tokenBucket({ capacity: 100, refillRate: 100 / 60 }),
      keyGenerator: byHeader('x-api-key'),
      onMissingKey: 401,
      message: { error: 'Rate limit exceeded' },
      store,
    }),
  );
  app.get('/', (_req, res) => {
    res.send('hello');
  });
  return app;
}
