import type { Usage } from '../usage/usage.js';
import type { CallEnd } from './call-outcome.js';

/** Follows one call, and settles its reservation exactly once, whichever end comes first. */
export interface Meter {
  /**
   * Returns the provider's response with a body that is metered as it passes. JSON and server-sent events. An error, 4xx or 5xx, is
   * read at once: if it states no usage, the call is refused. A status that no `Response` can have ends the call as `'broken'`.
   *
   * @throws RangeError for such a status
   */
  response(answer: Response): Response;
  /** Meters a chunk of the provider's body, for those who pass it on by themselves. */
  push(chunk: Uint8Array): void;
  /** Meters an event of the provider's answer that somebody else has parsed: a whole answer, or a part of a stream. */
  read(event: unknown): void;
  /**
   * Ends the call. Without a final usage, `'complete'` counts as `'broken'`. For a call that was not sent, `'unsent'` gives everything
   * back. Does nothing after the first end.
   */
  end(how: CallEnd): Promise<void>;
  /** Ends the call with a usage that you know from elsewhere. Does nothing after the first end. */
  settle(usage: Usage): Promise<void>;
  /** Resolves when the call has ended and is settled. */
  readonly ended: Promise<void>;
  /** The tokens that were reported or counted so far. */
  readonly usage: Usage;
}
