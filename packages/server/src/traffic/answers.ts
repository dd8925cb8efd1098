import type { ServerResponse } from 'node:http';
import type { Refusal } from '@sluice/core/http';
import type { ServiceAnswer } from '../service/service.js';

/** Header fields: names and values in turn, which `writeHead` writes the soonest. */
type RawFields = readonly string[];

/** Writes the answer to a call. Returns the status that the client gets. */
export type WriteAnswer = (response: ServerResponse, answer: ServiceAnswer) => number;

const ALLOWED = 204;

function allow(response: ServerResponse, fields: RawFields): number {
  response.writeHead(ALLOWED, fields as string[]);
  response.end();
  return ALLOWED;
}

/** For proxies that pass on whatever refuses, as it is: Traefik, Caddy, HAProxy. */
export const forwardAnswer: WriteAnswer = (response, answer) => {
  const { rawHeaders, refusal } = answer;
  if (!refusal) return allow(response, rawHeaders);
  const { status, headers, body } = refusal;
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, [
    ...rawHeaders,
    ...['Content-Type', headers['Content-Type'], 'Cache-Control', headers['Cache-Control'], 'Content-Length', length],
  ]);
  response.end(body);
  return status;
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
    const { rawHeaders, refusal } = answer;
    if (!refusal) return allow(response, brief(rawHeaders));
    const cacheControl = isLasting(answer) ? ONE_SECOND : refusal.headers['Cache-Control'];
    forbid(response, [...rawHeaders, ...refusalFields(refusal, cacheControl)]);
    // nginx passes this status on.
    return refusal.status;
  };
}

/**
 * For nginx, too: a mistake of the request that its client has made. nginx makes a 500 of every status that it does not know, so the
 * client would not hear what is wrong.
 */
export function subrequestMistake(response: ServerResponse, refusal: Refusal): void {
  forbid(response, refusalFields(refusal, 'no-store'));
}

function forbid(response: ServerResponse, fields: RawFields): void {
  response.writeHead(403, brief(fields) as string[]);
  response.end();
}

function refusalFields({ status, body }: Refusal, cacheControl: string): RawFields {
  return [
    ...['Cache-Control', cacheControl, 'Sluice-Status', String(status)],
    ...['Sluice-Problem', inAscii(body), 'Content-Length', '0'],
  ];
}

/** With the fields that Node adds, an answer of this size has at most 1 KB. */
const MOST_BYTES = 880;

/** Fields that an answer can do without, beginning with the one that is missed least. */
const DISPENSABLE = ['RateLimit-Policy', 'Sluice-Problem', 'RateLimit'] as const;

/**
 * Leaves out what does not fit, if a policy has many limits or long names. nginx reads an answer into one buffer, and an answer that
 * does not fit is none, which would open the gate.
 */
function brief(fields: RawFields): RawFields {
  if (bytesOf(fields) <= MOST_BYTES) return fields;
  const kept = [...fields];
  for (const name of DISPENSABLE) {
    const place = kept.findIndex((text, i) => i % 2 === 0 && text === name);
    if (place < 0) continue;
    kept.splice(place, 2);
    if (bytesOf(kept) <= MOST_BYTES) break;
  }
  return kept;
}

/** Returns how many bytes fields take in an answer: each pair has `: ` and the end of a line. */
function bytesOf(fields: RawFields): number {
  let bytes = 0;
  for (const text of fields) bytes += text.length + 2;
  return bytes;
}

const OTHERS = /[^ -~]/g;

/** Returns JSON that a field can carry. */
function inAscii(json: string): string {
  return json.replace(OTHERS, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
