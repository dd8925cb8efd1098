// Numbers that the documentation states and more than one invariant needs.

/** "The store remembers the reply for `rememberFor` (1 minute by default)" (packages/core/docs/answers.md). */
export const REMEMBERED_MS = 60_000;

/** "If other processes are faster again and again, it pauses up to 100 ms" (packages/core/docs/waiting.md). */
export const PAUSE_MS = 100;

/** "A call of your backend that takes longer than ten timeouts is given up" (packages/core/docs/writing-a-store.md). */
export const TIMEOUTS_OF_A_LOST_CALL = 10;

/**
 * A decision takes one call. It may have to wait for a call under way, learn the time of the server, and send its script first
 * (packages/redis/docs/keys-and-calls.md).
 */
export const TRIPS_TO_REDIS = 4;
