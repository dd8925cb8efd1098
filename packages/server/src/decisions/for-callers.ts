import type { ServerResponse } from 'node:http';
import { SluiceError } from '@sluice/core';
import type { Refusal } from '@sluice/core/http';
import { stopwatchMs } from '@sluice/core/values';
import { InputProblem } from '../http/input-problem.js';
import { sendRefusalText } from '../http/respond.js';
import type { RouteRequest } from '../http/route.js';
import type { ProtocolMetrics } from '../metrics/protocol-metrics.js';
import type { CallerCheck } from '../trust/caller-check.js';

/** Answers a request. */
type Handle = (request: RouteRequest, response: ServerResponse) => Promise<void>;

/** Checks callers, and counts their answers. */
export interface CallerParts {
  /** Checks who may ask. */
  readonly callers: Pick<CallerCheck, 'check'>;
  /** Counts the answers. */
  readonly metrics?: ProtocolMetrics;
}

/** The answer if the store cannot be reached, and no policy says what happens then. */
const UNAVAILABLE: Refusal = {
  status: 503,
  headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
  body: JSON.stringify({
    type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
    title: 'Temporary Reduced Capacity',
    status: 503,
    detail: 'The counters cannot be reached. Send the same request again.',
  }),
};

/** Answers callers who may ask, and counts what they get. */
export function forCallers({ callers, metrics }: CallerParts, handle: Handle): Handle {
  return async (request, response) => {
    const startMs = stopwatchMs();
    try {
      callers.check(request);
      await handle(request, response);
      metrics?.record(response.statusCode, startMs);
    } catch (error) {
      metrics?.record(statusOf(error), startMs);
      if (!isUnavailable(error)) throw error;
      sendRefusalText(response, UNAVAILABLE, { 'Retry-After': '1' });
    }
  };
}

function statusOf(error: unknown): number {
  if (error instanceof InputProblem) return error.status;
  return isUnavailable(error) ? UNAVAILABLE.status : 500;
}

/** A failed store, or one that is closed because this instance ends: another try may reach another instance. */
function isUnavailable(error: unknown): boolean {
  return error instanceof SluiceError && (error.code === 'SLUICE_STORE' || error.code === 'SLUICE_CLOSED');
}
