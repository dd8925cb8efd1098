import { REPORTS, reportAt } from '@sluice/example-shared';
import { everyone, rateLimit, respond, type Store } from '@sluice/fetch';
import { sendJson } from './answers.js';
import type { Route } from './route.js';

/** `GET /report`: requests wait for their turn, and are refused only when the queue is full. */
export function report(store: Store): Route {
  const queue = rateLimit({ name: 'report', limit: REPORTS, keyGenerator: everyone(), store });
  const sendReport = (): Response => sendJson(reportAt(store.clock.now()));
  return async (request) => (await queue(request)) ?? respond(request, sendReport);
}
