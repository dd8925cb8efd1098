// Why it is so: core/docs/why/ends-of-requests.md

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isUpgraded } from './is-upgraded.js';
import { listenOnce } from './listen-once.js';
import { type NodeResponse, rawOf } from './response.js';

/** How a request ended. */
export interface Outcome {
  /** The status that was sent. */
  readonly status: number;
  /** Whether the client left before it had the whole response. Such a request neither succeeded nor failed. */
  readonly aborted: boolean;
  /**
   * Present if the application itself broke the response off, for example because a stream failed. Such a request
   * failed.
   */
  readonly broken?: true;
}

/**
 * Calls `notify` once when a response has ended in any way, and at once if it already has. Returns a function that stops
 * it.
 *
 * On a connection, it uses more than the response's 'close'. If a connection ends, Node does not tell a response that
 * is queued behind another one, nor those who ask later about a response of HTTP/2: then this function closes it, for all who wait
 * for the response. Node also treats a response as finished although the client did not wait for the rest.
 * Without a connection, as in a function called by a gateway, in an injected request or in a mock, 'finish' may be the
 * only event. So it is on an upgraded connection, which Node leaves to the application.
 */
export function onResponseEnd(response: NodeResponse, notify: (outcome: Outcome) => unknown): () => void {
  const raw: MaybeMock = rawOf(response);
  const connection = connectionOf(raw);
  if (raw.closed || hasEnded(raw, connection)) {
    // It is too late to see who has ended it.
    const aborted = !isWhole(raw, connection);
    notify({ status: raw.statusCode, aborted });
    closeForLater(raw, connection);
    return () => {};
  }
  const end: Listener = (hasFinished) => {
    notify(hasFinished ? { status: raw.statusCode, aborted: false } : outcomeOf(raw, connection));
  };
  const listeners = listenersOf(raw, connection);
  listeners.add(end);
  return () => listeners.delete(end);
}

function hasEnded(response: MaybeMock, connection: Socket | undefined): boolean {
  if (connection === undefined) return response.writableEnded;
  return connection.destroyed || (endsByFinish(response, connection) && response.writableFinished);
}

/** Whether Node does not close the response, so that it ends when all of it is sent. */
function endsByFinish({ req }: MaybeMock, connection: Socket | undefined): boolean {
  return connection === undefined || (req !== undefined && isUpgraded(req));
}

/** A response that may be a mock of one of Node's. */
type MaybeMock = Omit<ServerResponse, 'req'> & { readonly req?: ServerResponse['req'] };

function isHttp2({ req }: MaybeMock): boolean {
  return req?.httpVersionMajor === 2;
}

/**
 * Returns the connection of a response. In HTTP/2, each stream counts as a connection, and is destroyed when it is
 * done. An application that is called without a connection has a response with another socket than its request, or with
 * none.
 */
function connectionOf(response: MaybeMock): Socket | undefined {
  const { req, socket } = response;
  const connection: Socket | undefined = req?.socket;
  if (connection?.destroyed === undefined) return undefined;
  const isOwn = isHttp2(response) || socket === null || socket === connection;
  return isOwn ? connection : undefined;
}

/** Returns how a response ended whose end was just reported. */
function outcomeOf(response: MaybeMock, connection: Socket | undefined): Outcome {
  const { statusCode: status } = response;
  if (isWhole(response, connection)) return { status, aborted: false };
  return isBroken(response, connection) ? { status, aborted: false, broken: true } : { status, aborted: true };
}

/** Whether the client has the whole response. Without a connection, it has it when the response has ended. */
function isWhole(response: MaybeMock, connection: Socket | undefined): boolean {
  if (connection === undefined) return response.writableEnded;
  if (isHttp2(response)) return response.writableEnded && response.writableFinished;
  return response.writableFinished && !connection.destroyed;
}

/**
 * Whether the application destroyed its response. When a connection ends by itself, Node also destroys the response,
 * but only afterwards.
 */
function isBroken(response: MaybeMock, connection: Socket | undefined): boolean {
  if (connection === undefined) return true;
  // Some servers write the rest once more after they have destroyed the response because of an error.
  const isEnded = response.writableFinished && !response.errored;
  return !isHttp2(response) && response.destroyed && !isEnded;
}

/** Called at the end of a response, with whether all of it was sent where Node does not close it. */
type Listener = (hasFinished: boolean) => void;

/** Holds the listeners of a response: see `requestPoliciesOf`. */
const LISTENERS = Symbol('sluice.listeners');

/** Returns the listeners of a response. The response itself has one listener, however many policies it passes. */
function listenersOf(
  response: MaybeMock & { [LISTENERS]?: Set<Listener> },
  connection: Socket | undefined,
): Set<Listener> {
  response[LISTENERS] ??= listeningTo(response, connection);
  return response[LISTENERS];
}

function listeningTo(response: MaybeMock, connection: Socket | undefined): Set<Listener> {
  const listeners = new Set<Listener>();
  let stop: (() => void) | undefined;
  const endBy = (hasFinished: boolean) => (): void => {
    response.off('close', end);
    stop?.();
    for (const listener of listeners) listener(hasFinished);
    closeForLater(response, connection);
  };
  const end = endBy(false);
  response.on('close', end);
  if (connection !== undefined && !isHttp2(response)) stop = listenOnce(connection, 'close', end);
  if (!endsByFinish(response, connection)) return listeners;
  // Not every mock of a response then says that it has ended.
  const finish = endBy(true);
  const unlisten = stop;
  response.on('finish', finish);
  stop = () => {
    response.off('finish', finish);
    unlisten?.();
  };
  return listeners;
}

/** What `finished` of `node:stream` reads of a response that is closed. It is not documented. */
interface ClosableResponse {
  destroyed: boolean;
  _closed?: boolean;
  closed?: boolean;
}

/**
 * Closes a response that has ended, where Node does not, or does not tell those who ask later. Otherwise a handler that waits for its
 * own response, by `await reply.send(rows)` or `await pipeline(rows, res)`, would wait for ever, and with it everything that it holds.
 */
function closeForLater(response: MaybeMock, connection: Socket | undefined): void {
  const closable: Omit<MaybeMock, 'closed'> & ClosableResponse = response;
  if (isHttp2(response)) closable.closed ??= true;
  else if (isLeftBehind(response, connection)) {
    closable.destroyed = true;
    closable._closed = true;
    response.emit('close');
  }
}

/** Whether a response waits behind another one on a connection that has ended: it never gets the connection. */
function isLeftBehind({ socket, closed, writableFinished }: MaybeMock, connection: Socket | undefined): boolean {
  return connection !== undefined && socket === null && !closed && !writableFinished;
}
