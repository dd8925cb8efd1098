import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getOrMake } from '../get-or-make.js';
import type { Outcome } from './enforcement.js';

/**
 * Tells once when a response has ended, however it did; at once if it has.
 *
 * More than the response's 'close' says: Node does not tell a response that is queued behind another on its connection when
 * that connection ends, and takes an answer for finished whose rest the client did not wait for.
 */
export function onResponseEnd(response: ServerResponse, tell: (outcome: Outcome) => unknown): void {
  const { socket } = response.req;
  const end = (): void => {
    tell({ status: response.statusCode, aborted: !isWhole(response, socket) });
  };
  if (response.closed || socket.destroyed) end();
  else toldOf(response).add(end);
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

type Listeners = Set<() => void>;

const responses = new WeakMap<ServerResponse, Listeners>();

/** One listener for a response, however many policies it meets. */
function toldOf(response: ServerResponse): Listeners {
  return getOrMake(responses, response, () => {
    const { socket } = response.req;
    const listeners: Listeners = new Set();
    const end = (): void => {
      response.off('close', end);
      queues.get(socket)?.delete(end);
      for (const listener of listeners) listener();
    };
    response.on('close', end);
    if (response.socket === null) queuedOn(socket).add(end);
    return listeners;
  });
}

const queues = new WeakMap<Socket, Listeners>();

/** One listener for a connection, however many requests a client sends ahead on it. */
function queuedOn(socket: Socket): Listeners {
  return getOrMake(queues, socket, () => {
    const listeners: Listeners = new Set();
    socket.once('close', () => {
      for (const end of listeners) end();
    });
    return listeners;
  });
}
