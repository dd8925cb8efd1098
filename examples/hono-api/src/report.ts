import { REPORTS, reportAt } from '@sluice/example-shared';
import { everyone, rateLimit, type Store } from '@sluice/hono';
import { Hono } from 'hono';

/** `GET /report`: requests wait for their turn, and are refused only when the queue is full. */
export function report(store: Store): Hono {
  const queue = rateLimit({ name: 'report', limit: REPORTS, keyGenerator: everyone(), store });
  return new Hono().get('/', queue, (c) => c.json(reportAt(store.clock.now())));
}
