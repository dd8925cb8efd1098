import { Readable } from 'node:stream';
import { DOWNLOADS, exportRows } from '@sluice/example-shared';
import { rateLimit, type Store } from '@sluice/hono';
import { Hono } from 'hono';

/** `GET /export`: slow rows; the slot is free again when the last is sent, or when the client goes away. */
export function downloads(store: Store): Hono {
  return new Hono().get('/', rateLimit({ name: 'export', limit: DOWNLOADS, store }), (c) => {
    const rows = Readable.toWeb(Readable.from(exportRows(store.clock))) as ReadableStream;
    return c.body(rows, 200, { 'Content-Type': 'text/csv; charset=utf-8' });
  });
}
