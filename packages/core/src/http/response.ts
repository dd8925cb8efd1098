import type { ServerResponse } from 'node:http';
import type { Refusal } from './problem.js';

/** What some frameworks put around Node's response, to be written to in its place. */
interface Reply {
  readonly raw: ServerResponse;
  readonly sent: boolean;
  code(status: number): unknown;
  headers(headers: Readonly<Record<string, string>>): unknown;
  send(payload?: unknown): unknown;
}

/** What an answer is written to: Node's own response, or a reply around it. */
export type HttpResponse = ServerResponse | Reply;

function isReply(response: HttpResponse): response is Reply {
  return 'raw' in response && 'code' in response;
}

/** Node's own response. */
export function rawOf(response: HttpResponse): ServerResponse {
  return isReply(response) ? response.raw : response;
}

/** Sets header fields, unless an answer was begun, perhaps while the store was asked. */
export function setHeaders(response: HttpResponse, headers: Readonly<Record<string, string>>): void {
  if (rawOf(response).headersSent) return;
  if (isReply(response)) response.headers(headers);
  else for (const name in headers) response.setHeader(name, headers[name] as string);
}

/** From now on, returns what says whether somebody has answered. A reply does not tell of an answer that is in its hooks. */
export function watchAnswer(response: HttpResponse): () => boolean {
  if (!isReply(response)) return () => response.headersSent;
  let isSending = false;
  const { send } = response;
  response.send = (payload) => {
    isSending = true;
    return send.call(response, payload);
  };
  return () => isSending || response.sent || response.raw.headersSent;
}

/** Sends a refusal to the byte. To a text frameworks add what they think of its type, so Node's response or bytes it is. */
export function sendRefusal(response: HttpResponse, { status, headers, body }: Refusal): void {
  setHeaders(response, headers);
  if (isReply(response)) {
    response.code(status);
    response.send(Buffer.from(body));
  } else {
    response.statusCode = status;
    response.end(body);
  }
}
