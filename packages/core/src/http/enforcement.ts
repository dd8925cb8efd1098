import type { Eventual } from '../values/eventual.js';
import type { HttpReservation } from './http-reservation.js';
import type { Refusal } from './node/problem.js';
import type { Outcome } from './node/response-end.js';

/** What an adapter has to do about a request. */
export interface Enforcement {
  /** What `req.rateLimit` is; absent when the address is on the deny list. */
  readonly reservation?: HttpReservation;
  /** To be set on the response, whatever becomes of it. */
  readonly headers: Readonly<Record<string, string>>;
  /** To be removed from the response before: what an outer policy told, and does not hold any more. */
  readonly outdated?: readonly string[];
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
