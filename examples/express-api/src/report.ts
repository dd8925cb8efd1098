import { everyone, leakyBucket, rateLimit, type Store } from '@sluice/express';
import { Router } from 'express';

/** The database behind it bears two reports a second, whoever asks; five may be under way. */
export const REPORTS = leakyBucket({ capacity: 5, leakRate: 2 });

/** `GET /report`: requests wait for their turn, and are refused only when the queue is full. */
export function report(store: Store): Router {
  const router = Router();
  router.get('/', rateLimit({ name: 'report', limit: REPORTS, keyGenerator: everyone(), store }), (_req, res) => {
    res.json({ report: 'All is well.', startedAt: new Date(store.clock.now()).toISOString() });
  });
  return router;
}
