import type { Answer, Store } from '../../stores/store.js';
import type { Duration } from '../../values/duration.js';
import type { Key } from '../../values/key.js';
import type { Limit } from '../../values/limit.js';

/** What the user's functions get: a limiter's subject, or a framework's own arguments. */
export type Args = readonly unknown[];

/** The user's function; asynchronous only where the answer is. */
export type Resolver<A extends Args, T, Async extends boolean = boolean> = (...args: A) => T | Answer<T, Async>;

/** A value, or the user's function that gives it for each request. */
export type Resolvable<A extends Args, T, Async extends boolean = boolean> = T | Resolver<A, T, Async>;

/** Says who is counted; null or undefined when there is nobody to name. */
export type KeyGenerator<A extends Args, Async extends boolean = boolean> = Resolver<A, Key | null | undefined, Async>;

type Amount<A extends Args, Async extends boolean> =
  /** The default algorithm, a sliding window. */
  | { limit: Resolvable<A, number, Async>; window: Duration }
  /** Any algorithm; a function chooses a tier. */
  | { limit: Resolvable<A, Limit, Async>; window?: never };

type Own<A extends Args, Async extends boolean> = {
  /** 1 to 128 printable ASCII characters. Of a policy, default `'default'`; of a limit, see `Limit.name`. */
  name?: string;
  /** Units that a request spends: a safe integer of at least 0; default 1. */
  cost?: Resolvable<A, number, Async>;
  /**
   * What a unit of the limit is: default `'requests'`, or any name of 1 to 128 printable ASCII characters, such as `'tokens'`. It is
   * told in verdicts. In HTTP only the units that `RateLimit` fields know are advertised: `'requests'`, `'content-bytes'` and, of
   * every concurrency limit by itself, `'concurrent-requests'`. A calendar window's `unit` is another thing.
   */
  quotaUnit?: string;
  /**
   * 1 (default) enforces; 0 decides, spends and reports, but never refuses; between them, the share of keys that is
   * enforced.
   */
  enforce?: number | (() => number);
  /**
   * Who is counted; an array makes a compound key of all its parts. Default: the subject itself, in adapters the
   * address.
   */
  keyGenerator?: KeyGenerator<A, Async> | readonly KeyGenerator<A, Async>[];
};

/**
 * One limit with what is its own; what is absent comes from the policy. A `cost` of its own is not touched by
 * `settle(number)`.
 */
export type LimitItem<A extends Args, Async extends boolean = boolean> = Amount<A, Async> & Own<A, Async>;

/**
 * What one route asks for. The top level is itself one limit item, or lists several in `limits`, which inherit
 * `keyGenerator`, `cost`, `quotaUnit` and `enforce` from it.
 */
export type PolicyOptions<A extends Args, Async extends boolean = boolean> = Own<A, Async> &
  (
    | (Amount<A, Async> & { limits?: never })
    | { limits: readonly (Limit | LimitItem<A, Async>)[]; limit?: never; window?: never }
  ) & {
    /** True lets the request pass uncounted. Default: every request counts. */
    skip?: Resolver<A, boolean, Async>;
    /**
     * When the store fails: `'local'` (default) counts in this process by the same limits, shared out by the store's
     * `instances`; `'allow'` admits, `'deny'` refuses.
     */
    onStoreError?: 'local' | 'allow' | 'deny';
    /** Default: a MemoryStore of its own. */
    store?: Store<Async> | undefined;
  };
