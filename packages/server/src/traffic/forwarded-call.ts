import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { InputProblem } from '../http/input-problem.js';
import type { CallKind, ServiceCall } from '../service/service-call.js';
import type { AddressReader } from './client-address.js';

/** How long a repeated request gets the first answer. A balancer repeats at once, or never. */
const HOLD_MS = 10_000;

/** The request of a client, for which a proxy asks. */
class ForwardedCall implements ServiceCall {
  readonly kind: CallKind = 'consume';
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly ip: string | undefined;
  readonly socket: IncomingMessage['socket'];
  readonly operationId: string | undefined;
  readonly holdMs = HOLD_MS;

  constructor(message: IncomingMessage, ip: string | undefined, method: string, url: string, id: string | undefined) {
    this.method = method;
    this.url = url;
    this.headers = message.headers;
    this.ip = ip;
    this.socket = message.socket;
    this.operationId = id;
  }
}

/**
 * Makes the call that a request stands for. Only a trusted proxy may say who its client is and what it asked for: everybody else
 * asks for themselves.
 *
 * @throws InputProblem for a field that is malformed
 */
export function forwardedCall(
  message: IncomingMessage,
  isTrusted: (ip: string | undefined) => boolean,
  addressOf: AddressReader,
): ServiceCall {
  const { headers, method = 'GET', url = '/' } = message;
  const peer = message.socket.remoteAddress;
  if (!isTrusted(peer)) return new ForwardedCall(message, peer, method, url, undefined);
  const ip = addressOf(peer, headers);
  const host = headers['x-forwarded-host'];
  if (host !== undefined) headers.host = hostOf(host);
  return new ForwardedCall(
    message,
    ip,
    methodOf(headers['x-forwarded-method'], method),
    urlOf(headers['x-forwarded-uri'], url),
    idOf(headers['sluice-request-id']),
  );
}

type Value = string | string[] | undefined;

const USUAL_METHODS: ReadonlySet<unknown> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;

function methodOf(value: Value, own: string): string {
  if (value === undefined) return own;
  if (USUAL_METHODS.has(value) || (typeof value === 'string' && TOKEN.test(value))) return value as string;
  throw wrong('X-Forwarded-Method', 'must be one method');
}

function urlOf(value: Value, own: string): string {
  if (value === undefined) return own;
  const isTarget = typeof value === 'string' && (value.startsWith('/') || value === '*' || value.includes('://'));
  if (isTarget && !value.includes(' ')) return value;
  throw wrong('X-Forwarded-Uri', 'must be the target of one request, such as /path?query');
}

const LONGEST_HOST = 255;

function hostOf(value: string | string[]): string {
  const isHost = typeof value === 'string' && value !== '' && value.length <= LONGEST_HOST;
  if (isHost && !value.includes(',') && !value.includes(' ') && !value.includes('/')) return value;
  throw wrong('X-Forwarded-Host', 'must be one host, with or without a port');
}

const ID = /^[!-~]{1,128}$/;

function idOf(value: Value): string | undefined {
  if (value === undefined || (typeof value === 'string' && ID.test(value))) return value;
  throw wrong('Sluice-Request-Id', 'must have 1 to 128 visible ASCII characters');
}

function wrong(header: string, detail: string): InputProblem {
  return new InputProblem(400, [{ header, detail }]);
}
