/** How often a key was counted in its window, and when the window ends. */
export interface Hits {
  readonly totalHits: number;
  readonly resetTime: Date | undefined;
}

/** A store for express-rate-limit 6 and later: the part that `storeOf` uses. */
export interface ExpressRateLimitStore {
  /** Called when the length of the window is known. */
  init?(options: { readonly windowMs: number }): unknown;
  /** Returns the hits of a key, without counting one. */
  get?(key: string): Hits | undefined | Promise<Hits | undefined>;
  /** Counts a hit of a key, and returns how many there are. */
  increment(key: string): Hits | Promise<Hits>;
  /** Takes a hit of a key back. */
  decrement(key: string): unknown;
  /** Forgets the hits of a key. */
  resetKey(key: string): unknown;
  /** Stops timers and connections. */
  shutdown?(): unknown;
  /** True if keys are counted in this process, without a network. */
  readonly localKeys?: boolean | undefined;
}
