import { concurrency, rateLimit, type Store } from '@sluice/express';
import { Router } from 'express';

/** Downloads that one address may have open. A slot outlives a process that died by ten seconds. */
export const DOWNLOADS = concurrency({ limit: 2, lease: '10s' });

/** An export takes so long at least. */
export const EXPORT_MS = 2000;

const ROWS = 10;

/** `GET /export`: slow rows; the slot is free again when the last is sent, or when the client goes away. */
export function downloads(store: Store): Router {
  const router = Router();
  router.get('/', rateLimit({ name: 'export', limit: DOWNLOADS, store }), async (_req, res) => {
    res.type('text/csv').write('row,square\n');
    for (let row = 1; row <= ROWS && !res.destroyed; row += 1) {
      await store.clock.sleep(EXPORT_MS / ROWS);
      res.write(`${row},${row * row}\n`);
    }
    res.end();
  });
  return router;
}
