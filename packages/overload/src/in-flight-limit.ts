/** The largest number that a limit in flight can have. */
export const LARGEST_LIMIT = 1_000_000;

/** Where the limit begins, and how far it may grow. */
export interface LimitBounds {
  /** The limit at the start: a whole number of at least 1. */
  readonly initial: number;
  /** The largest limit: a whole number, at least `initial`. */
  readonly max: number;
}

/**
 * Finds how many requests may be in flight. Every implementation is a pure machine: times are arguments, in milliseconds
 * that never go back.
 *
 * Choose by what you know. Each file says more.
 *
 * - `Knee` (default): you know nothing. It compares the latency at a little less with that at a little more in flight, and
 *   stays where more requests would only wait longer.
 * - `TimedAimd`: you know which duration means overload. The limit grows slowly, and falls by a fifth.
 * - `Vegas`: the latency without load stays the same for minutes.
 * - `Gradient2`: the latency changes slowly, and a limit that is too high for a minute does no harm.
 */
export interface InFlightLimit {
  /** How many requests may be in flight now: a whole number of at least 1. */
  readonly limit: number;
  /** The limit without the small changes by which a machine tries what more or less would do. */
  readonly center: number;
  /** Whether requests that are admitted now are to give samples. */
  readonly needsTimes: boolean;
  /** A request was admitted. */
  admitted(): void;
  /** A request was refused because the limit was reached. */
  refused(nowMs: number): void;
  /**
   * A request has been answered that was admitted while times were needed.
   *
   * @param startedMs - when it was admitted
   * @param waitedMs - the part of its duration that it waited for the event loop at its end, not for what is behind
   * @param inFlight - how many were in flight, itself included: the mean of its start and its end
   */
  done(nowMs: number, startedMs: number, waitedMs: number, inFlight: number): void;
}
