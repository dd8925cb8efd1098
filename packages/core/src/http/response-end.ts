import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Outcome } from './enforcement.js';
import { listenOnce } from './listen-once.js';
import { type HttpResponse, rawOf } from './response.js';

/**
 * Tells once when a response has ended, however it did; at once if it has. Returns the way to stop.
 *
 * More than the response's 'close' says: Node does not tell a response that is queued behind another on its connection when
 * that connection ends, and takes an answer for finished whose rest the client did not wait for.
 */
export function onResponseEnd(response: HttpResponse, tell: (outcome: Outcome) => unknown): () => void {
  const raw = rawOf(response);
  const { socket } = raw.req;
  const end = (): void => {
    tell({ status: raw.statusCode, aborted: !isWhole(raw, socket) });
  };
  if (raw.closed || socket.destroyed) {
    end();
    return () => {};
  }
  const listeners = listenersOf(raw);
  listeners.add(end);
  return () => listeners.delete(end);
}

/**
 * Whether the client has the whole answer. An injected request, as in tests, has no connection, and takes what is ended. In
 * HTTP/2 each stream passes for a connection, and is destroyed when it is done.
 */
function isWhole(response: ServerResponse, socket: Socket): boolean {
  if (socket.destroyed === undefined) return response.writableEnded;
  if (response.req.httpVersionMajor === 2) return response.writableEnded && response.writableFinished;
  return response.writableFinished && !socket.destroyed;
}

/** Where a response carries those who are told of its end: see `chainOf`. */
const LISTENERS = Symbol('sluice.listeners');

/** One listener for a response, however many policies it meets. */
function listenersOf(response: ServerResponse & { [LISTENERS]?: Set<() => void> }): Set<() => void> {
  response[LISTENERS] ??= listeningTo(response);
  return response[LISTENERS];
}

function listeningTo(response: ServerResponse): Set<() => void> {
  const { socket } = response.req;
  const listeners = new Set<() => void>();
  let leaveQueue: (() => void) | undefined;
  const end = (): void => {
    response.off('close', end);
    leaveQueue?.();
    for (const listener of listeners) listener();
  };
  response.on('close', end);
  if (response.socket === null) leaveQueue = listenOnce(socket, 'close', end);
  return listeners;
}
