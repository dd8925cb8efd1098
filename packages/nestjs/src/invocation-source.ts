import type { HttpRequest, NodeResponse } from '@sluice/core/http';

/** The source of calls: who called a handler, and how. */
export interface InvocationSource {
  /** The request that callbacks get. */
  readonly request: HttpRequest;
  /** The response; absent if there is none to write to. The call ends at the latest with the response. */
  readonly response?: NodeResponse | undefined;
  /** Whether a request holds several calls, or a call has no request of its own. */
  readonly isShared: boolean;
  /**
   * If there is no response: calls `notify` when nobody waits for a result any more, at once if nobody does. Returns a
   * function that stops it.
   */
  onGone?(notify: () => void): () => void;
}

/** The source of calls without an address, such as those of a message queue. */
export const NOBODY: InvocationSource = Object.freeze({
  request: Object.freeze({ method: '', url: '', headers: Object.freeze({}) }),
  isShared: true,
});
