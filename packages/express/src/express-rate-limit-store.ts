/** How often a key was counted in its window, and when the window ends. */
export interface Hits {
  readonly totalHits: number;
  readonly resetTime: Date | undefined;
}

/** A store for express-rate-limit 6 and later: the part that `storeOf` uses. */
export interface ExpressRateLimitStore {
  /** Called when the length of the window is known. */
  init?(options: { readonly windowMs: number }): unknown;
  get?(key: string): Hits | undefined | Promise<Hits | undefined>;
  increment(key: string): Hits | Promise<Hits>;
  decrement(key: string): unknown;
  resetKey(key: string): unknown;
  shutdown?(): unknown;
  /** True if keys are counted in this process, without a network. */
  readonly localKeys?: boolean | undefined;
}
