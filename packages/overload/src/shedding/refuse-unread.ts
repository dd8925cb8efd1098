// Why it is so: core/docs/why/load-shedding.md

import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock } from '@sluice/core/src/values/clock';
import type { ShedRefusal } from './shed-refusal.js';

/** How long a client that has sent only a part of its request may take to read the refusal. */
const LINGER_MS = 1000;

/**
 * Sends a refusal, and does not read the body of the request. If the rest of the body fits in the buffer of the request,
 * the connection can be used again. Otherwise the connection is not read any more, and it is closed a second later.
 * Without that second, the client could lose the refusal: its data would meet a closed connection.
 *
 * @see RFC 9112 sections 9.3 and 9.6
 */
export function refuseUnread(request: IncomingMessage, response: ServerResponse, refusal: ShedRefusal): void {
  if (response.headersSent) return;
  leaveUnread(request, response);
  response.writeHead(refusal.status, refusal.headers);
  response.end(refusal.body);
}

/**
 * Prepares a response for which the body of its request is not read. Call it before the response ends. HTTP/2 stops the
 * client by itself.
 */
export function leaveUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.httpVersionMajor !== 1 || !hasBody(request)) return;
  // Node reads a body that nobody has begun to read, however long it is. This begins, and takes nothing.
  request.read(0);
  response.on('finish', () => {
    if (!request.complete) void systemClock.sleep(LINGER_MS, undefined, { unref: true }).then(() => endUnread(request));
  });
}

/**
 * Closes the connection of a request that is still incomplete. A timeout of the socket would stay there, and cut later requests
 * on the connection if the rest has come meanwhile.
 */
function endUnread({ complete, socket }: IncomingMessage): void {
  if (!complete) socket.destroy();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return 'transfer-encoding' in headers || (headers['content-length'] ?? '0') !== '0';
}
