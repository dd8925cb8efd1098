import { REPORTS, reportAt } from '@sluice/example-shared';
import { type Clock, everyone } from '@sluice/fastify';
import type { FastifyPluginAsync } from 'fastify';

/** `GET /report`: requests wait for their turn, and are refused only when the queue is full. */
export const report: FastifyPluginAsync<{ clock: Clock }> = async (app, { clock }) => {
  const queue = app.rateLimit({ name: 'report', limit: REPORTS, keyGenerator: everyone() });

  app.get('/', { onRequest: queue }, async () => reportAt(clock.now()));
};
