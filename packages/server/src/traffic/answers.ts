import type { ServerResponse } from 'node:http';
import { sendRefusalText } from '../http/respond.js';
import type { ServiceAnswer } from '../service/service.js';

/** Writes the answer to a call. Returns its status. */
export type WriteAnswer = (response: ServerResponse, answer: ServiceAnswer) => number;

const ALLOWED = 204;

function allow(response: ServerResponse, { headers }: ServiceAnswer): number {
  response.writeHead(ALLOWED, headers);
  response.end();
  return ALLOWED;
}

/** For proxies that pass on whatever refuses, as it is: Traefik, Caddy, HAProxy. */
export const forwardAnswer: WriteAnswer = (response, answer) => {
  const { headers, refusal } = answer;
  if (!refusal) return allow(response, answer);
  sendRefusalText(response, refusal, headers);
  return refusal.status;
};

/** With the second part, one request asks anew after the second, and not all that come at the same time (RFC 5861). */
const ONE_SECOND = 'max-age=1, stale-while-revalidate=1';

/**
 * For nginx, which knows no other refusals than 401 and 403, and which does not keep the connection of an answer with a body. The
 * status and the problem stand in fields.
 *
 * @param isLasting - whether nginx may answer the next requests of the client itself: see `isLastingRefusal`
 */
export function subrequestAnswer(isLasting: (answer: ServiceAnswer) => boolean): WriteAnswer {
  return (response, answer) => {
    const { headers, refusal } = answer;
    if (!refusal) return allow(response, answer);
    response.writeHead(403, {
      ...headers,
      'Cache-Control': isLasting(answer) ? ONE_SECOND : refusal.headers['Cache-Control'],
      'Sluice-Status': String(refusal.status),
      'Sluice-Problem': inAscii(refusal.body),
      'Content-Length': '0',
    });
    response.end();
    return 403;
  };
}

const OTHERS = /[^ -~]/g;

/** Returns JSON that a field can carry. */
function inAscii(json: string): string {
  return json.replace(OTHERS, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
