import type { IncomingMessage } from 'node:http';
import {
  CLIENT_LEFT,
  listenOnce,
  type Outcome,
  onResponseEnd,
  type ResponseWatch,
  watchResponse,
} from '@sluice/core/http';
import type { Context } from 'hono';
import type { FetchRequest } from './fetch-request.js';
import { replaceResponse } from './header-fields.js';

/** Waits for the end of a response. */
export interface AnswerWatch {
  /** Call it when the handler has responded. */
  answered(): void;
  /** Call it if there is no response, because the handler failed without an error, or returned nothing. */
  failed(): void;
  /** Stops reporting. */
  stop(): void;
}

/**
 * Calls `notify` once when the response has ended, in any way. On Node, the connection reports it. Elsewhere it is the
 * end of the body, or the signal of the request.
 */
export function watchAnswer(request: FetchRequest, notify: (outcome: Outcome) => unknown): AnswerWatch {
  const { node, context } = request;
  if (node?.outgoing) return { answered() {}, failed() {}, stop: onResponseEnd(node.outgoing, notify) };
  if (node) return watchUpgrade(node.incoming, context, notify);
  const watch: ResponseWatch = watchResponse(context.req.raw, notify);
  return {
    answered() {
      const response = watch.responded(context.res);
      if (response !== context.res) replaceResponse(context, response);
    },
    failed: watch.failed,
    stop: watch.stop,
  };
}

/** The first status of a response that refuses an upgrade for sure. */
const FIRST_REFUSAL = 400;

/**
 * The same for the upgrade of a connection, which lasts as long as its WebSocket. A refusal ends it at once: the server does not read
 * its body, and leaves the connection open if others listen to upgrades, too.
 */
function watchUpgrade(
  { socket }: IncomingMessage,
  context: Context,
  notify: (outcome: Outcome) => unknown,
): AnswerWatch {
  let outcome: Outcome = { status: CLIENT_LEFT, aborted: true };
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    stop();
    notify(outcome);
  };
  const unlisten = listenOnce(socket, 'close', end);
  const stop = (): void => {
    isOver = true;
    unlisten();
  };
  if (socket.destroyed) end();
  return {
    answered() {
      outcome = { status: context.res.status, aborted: false };
      if (outcome.status >= FIRST_REFUSAL) end();
    },
    failed() {
      outcome = { status: 500, aborted: false };
      end();
    },
    stop,
  };
}
