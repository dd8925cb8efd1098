import { Readable } from 'node:stream';
import { DOWNLOADS, exportRows } from '@sluice/example-shared';
import { rateLimit, respond, type Store } from '@sluice/fetch';
import type { Route } from './route.js';

/** `GET /export`: slow rows; the slot is free again when the last is sent, or when the client goes away. */
export function downloads(store: Store): Route {
  const limit = rateLimit({ name: 'export', limit: DOWNLOADS, store });
  const sendRows = (): Response => {
    const rows = Readable.toWeb(Readable.from(exportRows(store.clock))) as ReadableStream;
    return new Response(rows, { headers: { 'Content-Type': 'text/csv; charset=utf-8' } });
  };
  return async (request, address) => (await limit(request, { address })) ?? respond(request, sendRows);
}
