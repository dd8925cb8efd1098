import type { Outcome } from '../node/response-end.js';

/** Waits for the end of a response that a server of fetch sends. */
export interface ResponseWatch {
  /**
   * Call it with the response. Returns the one to send in its place: it has the same bytes, and reports when they have been
   * sent. It is the response itself if nothing has to be reported about its body.
   */
  responded(response: Response): Response;
  /** Call it if there is no response, because the handler has failed. */
  failed(): void;
  /** Stops reporting. */
  stop(): void;
}

/** The status of a request whose client left before the response. */
export const CLIENT_LEFT = 499;

/**
 * Calls `notify` once when a request of fetch has ended, in any way: at the end of the body, which is wrapped for this purpose, when
 * nobody has the body any more, or when the signal of the request says that the client has left.
 */
export function watchResponse(
  { signal, method }: Pick<Request, 'signal' | 'method'>,
  notify: (outcome: Outcome) => unknown,
): ResponseWatch {
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    signal.removeEventListener('abort', leave);
  };
  const end = (outcome: Outcome): void => {
    if (isOver) return;
    stop();
    notify(outcome);
  };
  const leave = (): void => end({ status: CLIENT_LEFT, aborted: true });
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave);
  return {
    responded(response) {
      if (isOver) return response;
      const { status, body } = response;
      // A server sends no body in response to HEAD, and does not read it.
      if (body !== null && method !== 'HEAD') return new Response(watchedBody(body, status, end), response);
      end({ status, aborted: false });
      return response;
    },
    failed: () => end({ status: 500, aborted: false }),
    stop,
  };
}

/**
 * Ends bodies that were collected unread, such as one that middleware has replaced by 304. It must not reach the streams that it
 * watches. Undefined in a runtime that does not tell what it has collected.
 */
const COLLECTED =
  typeof FinalizationRegistry === 'function' ? new FinalizationRegistry<() => void>((end) => end()) : undefined;

/**
 * Returns the same bytes. Reports when they have all been read, when the source fails, when nobody reads the rest, and when nobody can
 * read them any more.
 */
function watchedBody(
  body: ReadableStream<Uint8Array>,
  status: number,
  end: (outcome: Outcome) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>(
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
  COLLECTED?.register(watched, () => {
    end({ status, aborted: false });
    reader.cancel().catch(() => {});
  });
  return watched;
}
