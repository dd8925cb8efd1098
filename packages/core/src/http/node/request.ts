import type { IncomingHttpHeaders } from 'node:http';

/** What Sluice reads of a request, whatever the framework: Express, Fastify and Nest requests all are one. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case, as Node gives them. */
  readonly headers: IncomingHttpHeaders;
  /** The client's address as the framework's own proxy settings determine it. */
  readonly ip?: string | undefined;
  /** What the request came over: a `Socket` of Node. Absent, or another object, where it came over none. */
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
}
