import { pipeline, Readable } from 'node:stream';
import { DOWNLOADS, exportRows } from '@sluice/example-shared';
import { rateLimit, type Store } from '@sluice/express';
import { Router } from 'express';

/** `GET /export`: slow rows; the slot is free again when the last is sent, or when the client goes away. */
export function downloads(store: Store): Router {
  const router = Router();
  router.get('/', rateLimit({ name: 'export', limit: DOWNLOADS, store }), (_req, res) => {
    pipeline(Readable.from(exportRows(store.clock)), res.type('text/csv'), () => {});
  });
  return router;
}
