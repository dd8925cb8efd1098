import { stringify } from 'node:querystring';
import { optionError } from '@sluice/core/values';
import type { Dispatcher } from 'undici';
import { pairsOf } from './handlers.js';

type DispatchHeaders = Dispatcher.DispatchOptions['headers'];

/**
 * Returns the request of a dispatch without its body, for the key of the client.
 *
 * @param origin - the server of dispatches that do not name one
 * @throws SluiceError `SLUICE_OPTION` if nobody names the server; TypeError if it is no request that `fetch` could send
 */
export function requestHead(options: Dispatcher.DispatchOptions, origin: string | URL | undefined): Request {
  const { path, query, method, headers } = options;
  const server = options.origin ?? origin;
  if (server === undefined)
    throw optionError('origin', 'must be the URL of the server, because the request does not name one', undefined);
  const search = query ? `${path.includes('?') ? '&' : '?'}${stringify(query)}` : '';
  return new Request(`${path.startsWith('/') ? String(server).replace(/\/$/, '') : ''}${path}${search}`, {
    method,
    headers: fieldsOf(headers),
  });
}

/** Returns options whose header fields can be read for the key, and for each time that the request is sent: an iterator is read once. */
export function withLastingFields(options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  const { headers } = options;
  if (!headers || !isIterable(headers) || !('next' in headers)) return options;
  const fields = [...headers];
  // A list would be names and values by turns.
  return { ...options, headers: { [Symbol.iterator]: () => fields.values() } };
}

/** Whether a body can be sent twice. A stream and an iterator can be read once. */
export function canRepeat(body: unknown): boolean {
  if (body === undefined || body === null || typeof body === 'string' || ArrayBuffer.isView(body)) return true;
  // Every copy of undici has classes of its own for these.
  return ['[object FormData]', '[object Blob]', '[object File]'].includes(Object.prototype.toString.call(body));
}

/** Undici takes a list of names and values by turns, pairs, or a record. A value can be a list. */
function fieldsOf(headers: DispatchHeaders): [name: string, value: string][] {
  if (!headers) return [];
  const fields = Array.isArray(headers) ? pairsOf(headers) : isIterable(headers) ? headers : Object.entries(headers);
  const pairs: [string, string][] = [];
  for (const [name, values = []] of fields) {
    for (const value of [values].flat()) pairs.push([name, String(value)]);
  }
  return pairs;
}

function isIterable<T>(headers: Iterable<T> | object): headers is Iterable<T> {
  return Symbol.iterator in headers;
}
