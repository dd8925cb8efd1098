import type { Eventual } from '../limiter/answer.js';
import type { Reservation } from '../limiter/reservation.js';
import type { Refusal } from './problem.js';

/** How a request ended: the status that was sent, and whether the client went away before all of it was. */
export interface Outcome {
  readonly status: number;
  readonly aborted: boolean;
}

/** What an adapter has to do about a request. */
export interface Enforcement {
  /** What `req.rateLimit` is; absent when the address is on the deny list. */
  readonly reservation?: Reservation;
  /** To be set on the response, whatever becomes of it. */
  readonly headers: Readonly<Record<string, string>>;
  /** How long the request has to wait for its turn: `turn` does the waiting. */
  readonly delayMs: number;
  /**
   * Resolves when it is the request's turn; rejects with the signal's reason when the client goes away, having given back
   * what can be. Absent when there is nothing to wait for.
   */
  turn?(gone: AbortSignal): Promise<void>;
  /**
   * Present when the request is refused: once the headers are set, calls `onLimitReached` if a limit refused (and not the
   * store's failure, or the deny list), and says what to send, or undefined if `isAnswered` says that the hook, or somebody
   * else meanwhile, has answered.
   */
  refuse?(isAnswered: () => boolean): Eventual<Refusal | undefined>;
  /**
   * To be called once when the request has ended, however it did. Never fails; absent when nothing is left to do then.
   */
  finish?(outcome: Outcome): Eventual<void>;
}
