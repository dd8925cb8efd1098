import { REPORTS, reportAt } from '@sluice/example-shared';
import { everyone, rateLimit, type Store } from '@sluice/express';
import { Router } from 'express';

/** `GET /report`: requests wait for their turn, and are refused only when the queue is full. */
export function report(store: Store): Router {
  const router = Router();
  router.get('/', rateLimit({ name: 'report', limit: REPORTS, keyGenerator: everyone(), store }), (_req, res) => {
    res.json(reportAt(store.clock.now()));
  });
  return router;
}
