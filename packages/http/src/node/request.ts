import type { IncomingHttpHeaders } from 'node:http';

/** The parts of a request that Sluice reads. Requests of Express, Fastify and Nest have them. */
export interface HttpRequest {
  /** The method, in upper case. */
  readonly method: string;
  /** The path with its query, as the request line has it. */
  readonly url: string;
  /** The names are in lower case, as in Node. */
  readonly headers: IncomingHttpHeaders;
  /** The client's address, as the framework determines it by its own proxy settings. */
  readonly ip?: string | undefined;
  /** The connection of the request: a `Socket` of Node. Absent, or another object, if there is no connection. */
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
}

/**
 * Returns a header field; undefined if there is none. A request that an application makes up, for example in a batch of
 * calls, may have no fields at all.
 *
 * @param name - in lower case
 */
export function fieldOf<Name extends string>(
  { headers }: { readonly headers?: IncomingHttpHeaders | undefined },
  name: Name,
): IncomingHttpHeaders[Name] {
  return headers?.[name];
}

/** Whether a header field says that a proxy has passed the request on. */
export function isForwarded({ headers }: { readonly headers?: IncomingHttpHeaders | undefined }): boolean {
  return headers?.['x-forwarded-for'] !== undefined || headers?.forwarded !== undefined;
}
