import type { HttpRequest, NodeResponse } from '@sluice/core/http';

/** Who has called a handler, by whatever way. */
export interface InvocationSource {
  /** What callbacks get. */
  readonly request: HttpRequest;
  /** Absent where there is none to write to. Its end ends the call, if nothing did before. */
  readonly response?: NodeResponse | undefined;
  /** True where a request holds several calls, or a call has no request of its own. */
  readonly isShared: boolean;
  /**
   * Where there is no response: tells when nobody waits for an answer any more, at once if nobody does. Returns the way to
   * stop.
   */
  onGone?(tell: () => void): () => void;
}

/** Who calls by a way that has no address, such as a queue of messages. */
export const NOBODY: InvocationSource = Object.freeze({
  request: Object.freeze({ method: '', url: '', headers: Object.freeze({}) }),
  isShared: true,
});
