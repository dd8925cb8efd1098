import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { listenOnce } from './listen-once.js';
import { type NodeResponse, rawOf } from './response.js';

/** How a request ended. */
export interface Outcome {
  /** The status that was sent. */
  readonly status: number;
  /** Whether the client went away before it had all of the answer: such a request neither succeeded nor failed. */
  readonly aborted: boolean;
  /** Present if the application itself broke the answer off, as where a stream fails: such a request failed. */
  readonly broken?: true;
}

/**
 * Tells once when a response has ended, however it did; at once if it has. Returns the way to stop.
 *
 * On a connection, more than the response's 'close' says: Node does not tell a response that is queued behind another on its
 * connection when that connection ends, and takes an answer for finished whose rest the client did not wait for. Where there is
 * no connection, as in a function that is called by a gateway, in an injected request or in a mock, 'finish' may be all that is
 * told.
 */
export function onResponseEnd(response: NodeResponse, tell: (outcome: Outcome) => unknown): () => void {
  const raw: MaybeMock = rawOf(response);
  const connection = connectionOf(raw);
  if (raw.closed || (connection ? connection.destroyed : raw.writableEnded)) {
    // Who has ended it cannot be seen any more.
    const aborted = !isWhole(raw, connection);
    tell({ status: raw.statusCode, aborted });
    return () => {};
  }
  const end: Listener = (hasFinished) => {
    tell(hasFinished ? { status: raw.statusCode, aborted: false } : outcomeOf(raw, connection));
  };
  const listeners = listenersOf(raw, connection);
  listeners.add(end);
  return () => listeners.delete(end);
}

/** A response that somebody may have made to look like one of Node's. */
type MaybeMock = Omit<ServerResponse, 'req'> & { readonly req?: ServerResponse['req'] };

/**
 * What the answer travels on. In HTTP/2 each stream passes for a connection, and is destroyed when it is done. Whoever calls an
 * application without a connection gives its response another socket than its request has, or none.
 */
function connectionOf({ req, socket }: MaybeMock): Socket | undefined {
  const connection: Socket | undefined = req?.socket;
  if (connection?.destroyed === undefined) return undefined;
  const isOwn = req?.httpVersionMajor === 2 || socket === null || socket === connection;
  return isOwn ? connection : undefined;
}

/** How the response has ended that was just told of. */
function outcomeOf(response: MaybeMock, connection: Socket | undefined): Outcome {
  const { statusCode: status } = response;
  if (isWhole(response, connection)) return { status, aborted: false };
  return isBroken(response, connection) ? { status, aborted: false, broken: true } : { status, aborted: true };
}

/** Whether the client has the whole answer. Where there is no connection, it takes what is ended. */
function isWhole(response: MaybeMock, connection: Socket | undefined): boolean {
  if (connection === undefined) return response.writableEnded;
  if (response.req?.httpVersionMajor === 2) return response.writableEnded && response.writableFinished;
  return response.writableFinished && !connection.destroyed;
}

/**
 * Whether the application has destroyed its response. When a connection ends by itself, Node destroys the response as well, but
 * only afterwards.
 */
function isBroken(response: MaybeMock, connection: Socket | undefined): boolean {
  if (connection === undefined) return true;
  // Some servers write the rest once more after they have destroyed it for an error.
  const isEnded = response.writableFinished && !response.errored;
  return response.req?.httpVersionMajor !== 2 && response.destroyed && !isEnded;
}

/** Told of the end of a response, and whether it has finished without a connection. */
type Listener = (hasFinished: boolean) => void;

/** Where a response carries those who are told of its end: see `chainOf`. */
const LISTENERS = Symbol('sluice.listeners');

/** One listener for a response, however many policies it meets. */
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
  };
  const end = endBy(false);
  response.on('close', end);
  if (connection === undefined) {
    // Not every response that somebody has made says then that it has ended.
    const finish = endBy(true);
    response.on('finish', finish);
    stop = () => response.off('finish', finish);
  } else if (response.req?.httpVersionMajor !== 2) {
    stop = listenOnce(connection, 'close', end);
  }
  return listeners;
}
