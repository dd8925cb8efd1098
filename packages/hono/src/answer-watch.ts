import { type Outcome, onResponseEnd, type ResponseWatch, watchResponse } from '@sluice/core/http';
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
  if (node) return { answered() {}, failed() {}, stop: onResponseEnd(node.outgoing, notify) };
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
