import type { ServerResponse } from 'node:http';
import { sendJson } from '../http/respond.js';
import type { Route, RouteRequest } from '../http/route.js';
import { jsonBody } from '../input/json-body.js';
import { inputProblem } from '../input/many-mistakes.js';
import { answerCorrection, RESERVATIONS } from './correct-reservation.js';
import { type DecisionParts, decide, decideAll } from './decide.js';
import { type CallerParts, forCallers } from './for-callers.js';
import { readDecisions } from './read-decisions.js';

/** The largest body: a thousand decisions of a kilobyte each. */
const MOST_BYTES = 1_048_576;

/** The options of `decisionRoutes`. */
export interface DecisionRouteParts extends DecisionParts, CallerParts {}

/**
 * Makes the routes of decisions and reservations: `POST /v1/decisions`, `POST /v1/reservations/{token}/settle` and `/cancel`.
 *
 * @example const routes = decisionRoutes({ service, tokens: reservationTokens(secrets), callers, counter });
 */
export function decisionRoutes(parts: DecisionRouteParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/decisions',
      handle: forCallers(parts, (request, response) => answerDecisions(request, response, parts)),
    },
    {
      method: 'POST',
      prefix: RESERVATIONS,
      handle: forCallers(parts, (request, response) => answerCorrection(request, response, parts)),
    },
  ];
}

async function answerDecisions(request: RouteRequest, response: ServerResponse, parts: DecisionParts): Promise<void> {
  const { socket } = request.message;
  const refusesByStatus = readStatus(request);
  const requests = readDecisions(await jsonBody(request, MOST_BYTES));
  if (Array.isArray(requests)) {
    if (refusesByStatus) {
      throw inputProblem(400, [{ parameter: 'status', detail: 'needs one decision, because a list has several' }]);
    }
    sendJson(response, 200, await decideAll(requests, parts, socket));
    return;
  }
  const { answer, refusal } = await decide(requests, parts, socket);
  if (refusal && refusesByStatus) {
    const { 'Content-Type': _, ...fields } = answer.headers;
    sendJson(response, refusal.status, answer, fields);
  } else sendJson(response, 200, answer);
}

/**
 * Whether a refusal is told by the status, too (`?status=429`).
 *
 * @throws InputProblem 400
 */
function readStatus({ search, query }: RouteRequest): boolean {
  if (search === '') return false;
  const mistakes = [...query].flatMap(([parameter, value]) => {
    if (parameter !== 'status') return [{ parameter, detail: 'is not known here: the parameter is status' }];
    return value === '429' ? [] : [{ parameter, detail: 'must be 429, or absent' }];
  });
  if (mistakes.length > 0) throw inputProblem(400, mistakes);
  return query.has('status');
}
