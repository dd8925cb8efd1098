import { byHeader, byIp, firstOf, fixedWindow, rateLimit, type Store } from '@sluice/express';
import express, { type Express } from 'express';

/**
 * An API in front of a language model: 100 a minute for everything, and 20 for the expensive path. There, two limiters with a
 * RedisStore each, of the prefixes `rl:api:` and `rl:llm:`.
 */
export function createLlmApi(store: Store): Express {
  const app = express();
  app.set('trust proxy', 'loopback');
  const shared = {
    window: 60_000,
    standardHeaders: 'draft-6', // standardHeaders: true
    legacyHeaders: false,
    message: { error: 'Too Many Requests', retryAfter: 60 },
    keyGenerator: firstOf(byHeader('x-api-key'), byIp()),
    store,
  } as const;
  app.use('/api/', rateLimit({ name: 'api', limit: 100, ...shared }));
  app.use('/api/v1/completions', rateLimit({ name: 'llm', limit: 20, ...shared }));
  app.use((_req, res) => {
    res.send('passed');
  });
  return app;
}

/** The application that had two limiters of express-rate-limit, each with a store of rate-limit-redis. */
export function createApp(store: Store): Express {
  const app = express();
  app.set('trust proxy', 'loopback');

  app.use(
    rateLimit({
      name: 'api', // identifier
      window: 60_000, // windowMs
      limit: 100,
      standardHeaders: 'draft-6', // what standardHeaders: true was; true is now the newest draft
      legacyHeaders: true,
      message: 'Too many requests, please try again later.',
      keyGenerator: firstOf(byHeader('x-api-key'), byIp()), // req.get('x-api-key') ?? ipKeyGenerator(req.ip)
      store, // one store for both: the names keep them apart, as prefix did
    }),
  );

  app.use(
    '/login',
    rateLimit({
      name: 'login',
      limit: fixedWindow({ limit: 5, window: '15m' }), // their window: from the first request, then all at once
      store,
    }),
  );

  app.get('/', (_req, res) => {
    res.send('hello');
  });
  app.post('/login', (_req, res) => {
    res.send('welcome');
  });
  return app;
}
