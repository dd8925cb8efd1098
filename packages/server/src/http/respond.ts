import type { ServerResponse } from 'node:http';
import type { Refusal } from '@sluice/core/http';

type Fields = Readonly<Record<string, string>>;

/** Answers with a text and its length. It does nothing if the answer has begun. */
export function sendText(response: ServerResponse, status: number, headers: Fields, body: string): void {
  if (response.headersSent) return;
  response.writeHead(status, { ...headers, 'Content-Length': String(Buffer.byteLength(body)) });
  response.end(body);
}

/** Answers with a value as JSON. */
export function sendJson(response: ServerResponse, status: number, value: unknown, headers: Fields = {}): void {
  sendText(response, status, { ...headers, 'Content-Type': 'application/json' }, JSON.stringify(value));
}

/** Answers with a refusal, to the byte. */
export function sendRefusalText(response: ServerResponse, refusal: Refusal, headers: Fields = {}): void {
  sendText(response, refusal.status, { ...headers, ...refusal.headers }, refusal.body);
}
