import type { ServerResponse } from 'node:http';
import { sendText } from '../http/respond.js';
import type { Route } from '../http/route.js';
import type { Readiness } from '../readiness.js';

const FIELDS = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' } as const;

/**
 * Returns the routes that orchestrators and balancers ask. They need no token, and tell nothing about reasons.
 *
 * - `GET /livez`: 200 as long as the process answers at all. It fails only where a restart helps.
 * - `GET /readyz`: 200 if requests may be sent here, 503 before the start is done and while the instance drains. A lost store
 *   leaves it at 200: all instances would leave together otherwise, and each of them still limits.
 */
export function healthRoutes(readiness: Readiness): readonly Route[] {
  const live = (_: unknown, response: ServerResponse): void => sendText(response, 200, FIELDS, 'alive\n');
  const ready = (_: unknown, response: ServerResponse): void => {
    if (readiness.isReady) sendText(response, 200, FIELDS, 'ready\n');
    else sendText(response, 503, FIELDS, 'not ready\n');
  };
  return ['GET', 'HEAD'].flatMap((method) => [
    { method, path: '/livez', handle: live },
    { method, path: '/readyz', handle: ready },
  ]);
}
