import type { ServerResponse } from 'node:http';
import { stopwatchMs } from '@sluice/core/values';
import { InputProblem } from '../http/input-problem.js';
import { sendJson } from '../http/respond.js';
import type { Route, RouteRequest } from '../http/route.js';
import { pointerOf } from '../input/check-input.js';
import type { ProtocolMetrics } from '../metrics/protocol-metrics.js';
import type { Service } from '../service/service.js';
import type { CallerCheck } from '../trust/caller-check.js';
import { type Caller, OPERATION_ID_FIELD } from './caller.js';
import { jsonOfResponse } from './json-response.js';
import { CODES, type HeaderValue, type RateLimitResponse } from './rate-limit-response.js';
import { readJsonRequest } from './read-json-request.js';
import { isMissingKey, MISSING_KEY, RequestMistake } from './request-mistake.js';
import { shouldRateLimit } from './should-rate-limit.js';

/** The options of `jsonRoutes`. */
export interface JsonRouteOptions {
  readonly service: Service;
  /** Checks who may ask. */
  readonly callers: CallerCheck;
  readonly metrics?: ProtocolMetrics;
}

/**
 * Makes the route `POST /json`, by which envoyproxy/ratelimit is asked over HTTP: the answer has status 200 or 429. It decides as
 * `ShouldRateLimit` does over gRPC.
 */
export function jsonRoutes({ service, callers, metrics }: JsonRouteOptions): readonly Route[] {
  const handle = async (request: RouteRequest, response: ServerResponse): Promise<void> => {
    const startMs = stopwatchMs();
    try {
      callers.check(request);
      const answer = await answerTo(service, request);
      const status = answer.overallCode === CODES.OK ? 200 : 429;
      metrics?.record(status, startMs);
      sendJson(response, status, jsonOfResponse(answer), fieldsOf(answer.responseHeadersToAdd));
    } catch (error) {
      const problem = problemOf(error);
      metrics?.record(problem instanceof InputProblem ? problem.status : 500, startMs);
      throw problem;
    }
  };
  return [{ method: 'POST', path: '/json', handle }];
}

async function answerTo(service: Service, { message, peer }: RouteRequest): Promise<RateLimitResponse> {
  const operationId = message.headers[OPERATION_ID_FIELD];
  const caller: Caller = typeof operationId === 'string' ? { address: peer, operationId } : { address: peer };
  return shouldRateLimit(service, await readJsonRequest(message), caller);
}

function problemOf(error: unknown): unknown {
  if (isMissingKey(error)) {
    return new InputProblem(400, [{ pointer: '/descriptors', detail: MISSING_KEY }], { cause: error });
  }
  if (!(error instanceof RequestMistake)) return error;
  const status = error.kind === 'unknown-policy' ? 404 : 400;
  const { path, rule: detail } = error;
  return new InputProblem(status, [
    path[0] === OPERATION_ID_FIELD ? { header: OPERATION_ID_FIELD, detail } : { pointer: pointerOf(path), detail },
  ]);
}

/** The fields are also those of this response: whoever passes it on passes them on. */
function fieldsOf(values: readonly HeaderValue[]): Record<string, string> {
  return Object.fromEntries(values.map(({ key, value }) => [key, value]));
}
