import type { ServerResponse } from 'node:http';
import { type MetricsHandler, metricsHandler, type TextSource } from '@sluice/metrics';
import { healthRoutes } from '../health/health-routes.js';
import { verboseHealth } from '../health/verbose-health.js';
import { sendJson, sendRefusalText } from '../http/respond.js';
import type { Route, RouteRequest } from '../http/route.js';
import { checkInput } from '../input/check-input.js';
import { jsonBody } from '../input/json-body.js';
import { inputProblem } from '../input/many-mistakes.js';
import { problemOf } from './admin-problem.js';
import type { AdminParts, AdminVerb } from './admin-verb.js';
import { ADMIN_VERBS } from './admin-verbs.js';
import { admit, checkAccess } from './admit.js';
import { audited } from './audited.js';
import type { AdminTokens } from './tokens.js';

/** The largest body: a key, a reason, and the fields of a request to explain. */
const MOST_BYTES = 65_536;

const NOT_KEPT = { 'Cache-Control': 'no-store' } as const;

/** Returns all routes of the administration. Only `/livez` and `/readyz` without `verbose` need no token. */
export function adminRoutes(parts: AdminParts, tokens: AdminTokens, metrics: TextSource): readonly Route[] {
  return [
    ...ADMIN_VERBS.map((verb) => verbRoute(verb, parts, tokens)),
    ...healthRoutes(parts.readiness).map((route) =>
      route.path === '/readyz' ? withReasons(route, parts, tokens) : route,
    ),
    metricsRoute(metricsHandler(metrics), tokens),
  ];
}

function verbRoute(verb: AdminVerb, parts: AdminParts, tokens: AdminTokens): Route {
  return {
    method: 'POST',
    path: `/v1/admin/${verb.name}`,
    async handle(request, response) {
      // The body of a stranger is not even read.
      const caller = admit(request.message, tokens, verb.access);
      const input = await inputOf(verb, request);
      if (verb.needsWrite?.(input)) checkAccess(caller, 'write');
      const afterwards = (step: () => void): void => void response.once('close', step);
      try {
        sendJson(response, 200, await audited(verb, { input, caller, parts, afterwards }), NOT_KEPT);
      } catch (error) {
        const problem = problemOf(error);
        if (!problem) throw error;
        sendRefusalText(response, problem);
      }
    },
  };
}

/** Nothing is the same as an empty object. */
async function inputOf({ schema }: AdminVerb, request: RouteRequest): Promise<unknown> {
  const checked = checkInput(schema, (await jsonBody(request, MOST_BYTES)) ?? {});
  if (checked.mistakes) throw inputProblem(400, checked.mistakes);
  return checked.value;
}

/** `/readyz?verbose` says why. It needs a token: reasons tell about the network. */
function withReasons(route: Route, { readiness, service }: AdminParts, tokens: AdminTokens): Route {
  return {
    ...route,
    handle(request, response) {
      if (!request.query.has('verbose')) return route.handle(request, response);
      admit(request.message, tokens, 'read');
      sendJson(response, readiness.isReady ? 200 : 503, verboseHealth(readiness, service.live), NOT_KEPT);
    },
  };
}

function metricsRoute(handler: MetricsHandler, tokens: AdminTokens): Route {
  return {
    method: 'GET',
    path: '/metrics',
    handle(request: RouteRequest, response: ServerResponse) {
      admit(request.message, tokens, 'read');
      return handler(request.message, response);
    },
  };
}
