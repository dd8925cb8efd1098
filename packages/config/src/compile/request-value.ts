import { SluiceError } from '@sluice/core';
import { addressMatcher, carriedRequest, fieldOf, type HttpRequest } from '@sluice/core/http';
import { show } from '@sluice/core/values';

/**
 * Returns the request of a callback's argument.
 *
 * @throws SluiceError `SLUICE_KEY` if it is none
 */
export function requestOf(argument: object): HttpRequest {
  // Most frameworks pass the request itself.
  if (hasFields(argument)) return argument as HttpRequest;
  const request = argument && carriedRequest(argument);
  if (typeof request?.headers === 'object' || isMadeUp(request)) return request;
  const rule = 'a policy of a file reads requests: pass one with method, url, headers and ip';
  throw new SluiceError('SLUICE_KEY', `${rule}, got ${show(argument)}`, { received: argument });
}

/** Whether an object has header fields by their names. A `Request` of fetch has `Headers`, and carries a request that has them. */
function hasFields(argument: { readonly headers?: { readonly get?: unknown } | null } | undefined): boolean {
  const headers = argument?.headers;
  return typeof headers === 'object' && typeof headers?.get !== 'function';
}

/** Whether an object is a request without header fields: an application may make one up, for example for each call of a batch. */
function isMadeUp({ ip, method, url }: Partial<HttpRequest> = {}): boolean {
  return [ip, method, url].some((part) => typeof part === 'string');
}

/** Returns the value of a header field; undefined if it is absent or empty. A repeated field is one list. */
export function headerText(argument: object, field: string): string | undefined {
  return textOf(fieldOf(requestOf(argument), field));
}

/** Returns the value of a field as one text. */
export function textOf(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.join(', ') : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/**
 * Returns a reader of a header field that only certain senders may set: it is read if the connection comes from one of these
 * addresses. `X-Forwarded-For` does not matter.
 */
export function trustedHeader(field: string, trustedFrom: readonly string[]): (argument: object) => string | undefined {
  const isTrusted = addressMatcher(trustedFrom, 'trustedFrom');
  const name = field.toLowerCase();
  return (argument) => {
    const { socket, ip } = requestOf(argument);
    // A connection that has ended has no address any more, and a client may have written `ip`.
    const peer = socket && 'remoteAddress' in socket ? socket.remoteAddress : ip;
    return isTrusted(peer) ? headerText(argument, name) : undefined;
  };
}
