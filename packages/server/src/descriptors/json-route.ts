import type { ServerResponse } from 'node:http';
import { stopwatchMs } from '@sluice/core/store';
import { InputProblem } from '../http/input-problem.js';
import { readJson } from '../http/read-body.js';
import { sendJson } from '../http/respond.js';
import type { Route, RouteRequest } from '../http/route.js';
import { checkInput, pointerOf } from '../input/check-input.js';
import { inputProblem } from '../input/many-mistakes.js';
import type { ProtocolMetrics } from '../metrics/protocol-metrics.js';
import type { Service } from '../service/service.js';
import type { CallerCheck } from '../trust/caller-check.js';
import { type Caller, OPERATION_ID_FIELD } from './caller.js';
import { requestOfJson } from './json-request.js';
import { jsonOfResponse } from './json-response.js';
import { JsonRateLimitRequest } from './json-schema.js';
import { CODES, type HeaderValue, type RateLimitResponse } from './rate-limit-response.js';
import { isMissingKey, MISSING_KEY, RequestMistake } from './request-mistake.js';
import { shouldRateLimit } from './should-rate-limit.js';

/** As long as a message over gRPC may be. */
const MOST_BYTES = 262_144;

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

/** Clients of the original send any content type, so none is asked for. */
async function answerTo(service: Service, { message, peer }: RouteRequest): Promise<RateLimitResponse> {
  const checked = checkInput(JsonRateLimitRequest, await readJson(message, MOST_BYTES));
  if (checked.mistakes) throw inputProblem(400, checked.mistakes);
  const operationId = message.headers[OPERATION_ID_FIELD];
  const caller: Caller = typeof operationId === 'string' ? { address: peer, operationId } : { address: peer };
  return shouldRateLimit(service, requestOfJson(checked.value), caller);
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
