import { Readable } from 'node:stream';
import { DOWNLOADS, exportRows } from '@sluice/example-shared';
import type { Clock } from '@sluice/fastify';
import type { FastifyPluginAsync } from 'fastify';

/** `GET /export`: slow rows; the slot is free again when the last is sent, or when the client goes away. */
export const downloads: FastifyPluginAsync<{ clock: Clock }> = async (app, { clock }) => {
  const slots = app.rateLimit({ name: 'export', limit: DOWNLOADS });

  app.get('/', { onRequest: slots }, async (_request, reply) =>
    reply.type('text/csv; charset=utf-8').send(Readable.from(exportRows(clock))),
  );
};
