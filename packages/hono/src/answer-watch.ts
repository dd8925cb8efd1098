import { type Outcome, onResponseEnd } from '@sluice/core/http';
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

/** The status of a request whose client left before the response. */
export const CLIENT_LEFT = 499;

/**
 * Calls `notify` once when the response has ended, in any way. On Node, the connection reports it. Elsewhere it is the
 * end of the body, which is wrapped for this purpose, or the signal of the request.
 */
export function watchAnswer(request: FetchRequest, notify: (outcome: Outcome) => unknown): AnswerWatch {
  return request.node ? watchNode(request.node, notify) : watchFetch(request, notify);
}

function watchNode(
  { outgoing }: NonNullable<FetchRequest['node']>,
  notify: (outcome: Outcome) => unknown,
): AnswerWatch {
  const stop = onResponseEnd(outgoing, notify);
  return { answered() {}, failed() {}, stop };
}

function watchFetch({ context }: FetchRequest, notify: (outcome: Outcome) => unknown): AnswerWatch {
  const { signal, method } = context.req.raw;
  const stop = (): void => {
    isOver = true;
    signal.removeEventListener('abort', leave);
  };
  let isOver = false;
  const end = (outcome: Outcome): void => {
    if (isOver) return;
    stop();
    notify(outcome);
  };
  const leave = (): void => end({ status: CLIENT_LEFT, aborted: true });
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave);
  return {
    answered() {
      const { res } = context;
      const { status, body } = res;
      // For HEAD, Hono drops the body without reading it.
      if (body === null || method === 'HEAD') end({ status, aborted: false });
      else if (!isOver) replaceResponse(context, new Response(watchedBody(body, status, end), res));
    },
    failed: () => end({ status: 500, aborted: false }),
    stop,
  };
}

/**
 * Returns the same bytes. Reports when they have all been read, when the source fails, and when nobody reads the rest.
 */
function watchedBody(
  body: ReadableStream<Uint8Array>,
  status: number,
  end: (outcome: Outcome) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
        } catch (error) {
          end({ status, aborted: false, broken: true });
          throw error;
        }
        controller.close();
        end({ status, aborted: false });
      },
      cancel(reason) {
        end({ status, aborted: true });
        return reader.cancel(reason);
      },
    },
    // Reads nothing before somebody asks for it.
    { highWaterMark: 0 },
  );
}
