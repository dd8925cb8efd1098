import { fixedWindow, rateLimit, type Store } from '@sluice/express';
import express, { type Express } from 'express';

/**
 * The application that had both libraries on its searches, each with a store of its own:
 *
 * ```js
 * app.use('/search', slowDown({ windowMs: 900_000, delayAfter: 5, delayMs: (used) => (used - 5) * 200, maxDelayMs: 1000 }));
 * app.use('/search', rateLimit({ windowMs: 900_000, limit: 12 }));
 * ```
 */
export function createApp(store: Store): Express {
  const app = express();
  app.use(
    '/search',
    rateLimit({
      name: 'search',
      limit: fixedWindow({ limit: 12, window: '15m' }), // their window
      slowDown: { after: 5, by: '200ms', upTo: '1s' }, // delayAfter, delayMs, maxDelayMs
      store,
    }),
  );

  // delayMs: 500, and no limit: a limit that nobody reaches, and the same delay for all.
  app.use(
    '/reports',
    rateLimit({
      name: 'reports',
      limit: fixedWindow({ limit: 100_000, window: '1m' }),
      slowDown: { after: 1, by: '500ms', upTo: '500ms' },
      standardHeaders: false, // theirs sends no header fields
      legacyHeaders: false,
      store,
    }),
  );

  app.use((req, res) => {
    res.json({ delayMs: req.rateLimit?.delayMs }); // req.slowDown.delay
  });
  return app;
}
