import type { ServerResponse } from 'node:http';
import type { Refusal } from '@sluice/core/http';
import { sendRefusalText } from '../http/respond.js';
import type { ServiceAnswer } from '../service/service.js';

type Fields = Readonly<Record<string, string>>;

/** Writes the answer to a call. Returns the status that the client gets. */
export type WriteAnswer = (response: ServerResponse, answer: ServiceAnswer) => number;

const ALLOWED = 204;

function allow(response: ServerResponse, headers: Fields): number {
  response.writeHead(ALLOWED, headers);
  response.end();
  return ALLOWED;
}

/** For proxies that pass on whatever refuses, as it is: Traefik, Caddy, HAProxy. */
export const forwardAnswer: WriteAnswer = (response, answer) => {
  const { headers, refusal } = answer;
  if (!refusal) return allow(response, headers);
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
    if (!refusal) return allow(response, brief(headers));
    response.writeHead(
      403,
      brief({
        ...headers,
        'Cache-Control': isLasting(answer) ? ONE_SECOND : refusal.headers['Cache-Control'],
        'Sluice-Status': String(refusal.status),
        'Sluice-Problem': inAscii(refusal.body),
        'Content-Length': '0',
      }),
    );
    response.end();
    // nginx passes this status on.
    return refusal.status;
  };
}

/**
 * For nginx, too: a mistake of the request that its client has made. nginx makes a 500 of every status that it does not know, so the
 * client would not hear what is wrong.
 */
export function subrequestMistake(response: ServerResponse, { status, body }: Refusal): void {
  response.writeHead(
    403,
    brief({
      'Cache-Control': 'no-store',
      'Sluice-Status': String(status),
      'Sluice-Problem': inAscii(body),
      'Content-Length': '0',
    }),
  );
  response.end();
}

/** With the fields that Node adds, an answer of this size has at most 1 KB. */
const MOST_BYTES = 880;

/** Fields that an answer can do without, beginning with the one that is missed least. */
const DISPENSABLE = ['RateLimit-Policy', 'Sluice-Problem', 'RateLimit'] as const;

/**
 * Leaves out what does not fit, if a policy has many limits or long names. nginx reads an answer into one buffer, and an answer that
 * does not fit is none, which would open the gate.
 */
function brief(fields: Fields): Fields {
  let bytes = 0;
  for (const name in fields) bytes += bytesOf(name, fields[name] as string);
  if (bytes <= MOST_BYTES) return fields;
  const kept = { ...fields };
  for (const name of DISPENSABLE) {
    const { [name]: value } = kept;
    if (value === undefined) continue;
    bytes -= bytesOf(name, value);
    delete kept[name];
    if (bytes <= MOST_BYTES) break;
  }
  return kept;
}

/** Returns how many bytes a field takes in an answer. */
function bytesOf(name: string, value: string): number {
  return name.length + value.length + ': \r\n'.length;
}

const OTHERS = /[^ -~]/g;

/** Returns JSON that a field can carry. */
function inAscii(json: string): string {
  return json.replace(OTHERS, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
