import type { ServerResponse } from 'node:http';
import type { Refusal } from '@sluice/core/http';

/** What is used of a Fastify reply. */
interface Reply {
  readonly raw: ServerResponse;
  readonly sent: boolean;
  code(status: number): this;
  headers(headers: Readonly<Record<string, string>>): this;
  send(payload?: unknown): this;
}

/** The response of an Express platform, or of a Fastify platform. */
export type PlatformResponse = ServerResponse | Reply;

export function rawOf(response: PlatformResponse): ServerResponse {
  return 'raw' in response ? response.raw : response;
}

/** Sets header fields, unless the answer has begun. */
export function setHeaders(response: PlatformResponse, headers: Readonly<Record<string, string>>): void {
  if (rawOf(response).headersSent) return;
  if ('raw' in response) response.headers(headers);
  else for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Returns what says whether somebody has answered. Fastify does not tell of an answer that is still in its hooks. */
export function watchAnswer(response: PlatformResponse | undefined): () => boolean {
  if (!response) return () => false;
  if (!('raw' in response)) return () => response.headersSent;
  let isSending = false;
  const { send } = response;
  response.send = (payload) => {
    isSending = true;
    return send.call(response, payload);
  };
  return () => isSending || response.sent || response.raw.headersSent;
}

/** Sends bytes, since to a text either platform would add what it thinks of its type. */
export function sendRefusal(response: PlatformResponse, { status, headers, body }: Refusal): void {
  setHeaders(response, headers);
  if ('raw' in response) response.code(status).send(Buffer.from(body));
  else {
    response.statusCode = status;
    response.end(body);
  }
}
