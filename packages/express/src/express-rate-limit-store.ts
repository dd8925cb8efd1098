/** How often a key was counted in its window, and when that ends. */
export interface Hits {
  readonly totalHits: number;
  readonly resetTime: Date | undefined;
}

/** A store for express-rate-limit 6 and later: what `storeOf` uses of it. */
export interface ExpressRateLimitStore {
  /** Called once the length of the window is known. */
  init?(options: { readonly windowMs: number }): unknown;
  get?(key: string): Hits | undefined | Promise<Hits | undefined>;
  increment(key: string): Hits | Promise<Hits>;
  decrement(key: string): unknown;
  resetKey(key: string): unknown;
  shutdown?(): unknown;
  /** True: keys are counted in this process, and no network is asked. */
  readonly localKeys?: boolean | undefined;
}
