import type { ServerResponse } from 'node:http';

/** What Node keeps of a response that has begun. It is not documented, but middleware has always read it. */
interface SentResponse {
  readonly _header?: unknown;
}

/**
 * Returns the content type of a response that has begun; undefined if it has none. Node does not tell the fields that only
 * `writeHead` has got, but it keeps the text that it has sent.
 */
export function sentContentType(response: ServerResponse): string | undefined {
  const value = response.getHeader('content-type');
  if (value !== undefined) return String(value);
  const { _header: sent }: ServerResponse & SentResponse = response;
  return typeof sent === 'string' ? /\r\ncontent-type: *([^\r]*)/i.exec(sent)?.[1] : undefined;
}
