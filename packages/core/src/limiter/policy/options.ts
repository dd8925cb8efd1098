import type { Answer, Store } from '../../stores/store.js';
import type { Duration } from '../../values/duration.js';
import type { Key } from '../../values/key.js';
import type { Limit } from '../../values/limit.js';
import type { Priority } from '../../values/priority.js';
import { KEY_VIEW, type KeyView } from './key-view.js';
import type { MarginOptions } from './margin.js';
import type { SlowDownOptions } from './slow-down.js';

export { KEY_VIEW, type KeyView };

/** The arguments of the user's functions: the subject of a limiter, or the arguments of a framework. */
export type Args = readonly unknown[];

/** A function of the user. It may be asynchronous only if the decision is. */
export type Resolver<A extends Args, T, Async extends boolean = boolean> = (...args: A) => T | Answer<T, Async>;

/** A value, or a function that returns it for each request. */
export type Resolvable<A extends Args, T, Async extends boolean = boolean> = T | Resolver<A, T, Async>;

/** Returns the key to count by; null or undefined if there is none. */
export type KeyGenerator<A extends Args, Async extends boolean = boolean> = Resolver<A, Key | null | undefined, Async>;

/** The numbers of a limit. */
type Amount<A extends Args, Async extends boolean> =
  | {
      /** The units that are admitted in any window: a number for the default algorithm, a sliding window. */
      limit: Resolvable<A, number, Async>;
      /** The length of the window: 1 ms to 100 years. */
      window: Duration;
    }
  | {
      /** A Limit of any algorithm. A function chooses a tier. */
      limit: Resolvable<A, Limit, Async>;
      /** A Limit has its own window. */
      window?: never;
    };

/** How far a limit is enforced: a share of keys from 0 to 1, or `'mark'`. */
export type Enforce = number | 'mark';

/** What every limit item may have, whatever its numbers are. */
type Own<A extends Args, Async extends boolean> = MarginOptions & {
  /** 1 to 128 printable ASCII characters. Default for a policy: `'default'`. Default for a limit: see `Limit.name`. */
  name?: string;
  /** Units that a request spends: a safe integer of at least 0. Default: 1. */
  cost?: Resolvable<A, number, Async>;
  /**
   * What one unit is. Default: `'requests'`. It can be any name of 1 to 128 printable ASCII characters, such as
   * `'tokens'`, and verdicts contain it. `'micro-dollars'` is money: it changes the defaults of `onStoreError` and
   * `timeout`. In HTTP, `RateLimit` fields state only the units that the standard knows: `'requests'`, `'content-bytes'`
   * and, for every concurrency limit, `'concurrent-requests'`. It has nothing to do with the `unit` of a calendar window.
   */
  quotaUnit?: string;
  /**
   * 1 (default) enforces the limit. 0 decides, spends and reports, but never refuses. A number between them is the
   * share of keys for which the limit is enforced. `'mark'` never refuses either, but header fields state the limit, and
   * `exceeded` on the decision says that the request passed it: use it to serve less to such a request.
   */
  enforce?: Enforce | (() => Enforce);
  /**
   * Delays requests before the limit refuses them: by `by` for each unit that is used beyond `after`, at most by `upTo`. The delay is
   * `delayMs` of the decision. The adapters and `wait` do the waiting for you. Default: no delay.
   */
  slowDown?: SlowDownOptions;
  /**
   * Returns the key to count by. With an array, all parts make one compound key. Default: the subject itself; in
   * adapters, the client's address.
   */
  keyGenerator?: KeyGenerator<A, Async> | readonly KeyGenerator<A, Async>[];
  /**
   * Returns what is counted apart for each key, such as the model or the tool that a request uses. It becomes the last
   * part of the key: `[key, part]`. Use it if the limits of a policy share one key, and some of them count per
   * something else as well. If it returns undefined or null, the key alone counts. Default: the key alone counts.
   */
  partition?: KeyGenerator<A, Async>;
  /** For authors of items whose limits are functions of a request: what `inspect` can know of a key alone. */
  readonly [KEY_VIEW]?: KeyView;
};

/** Which part of a limit is guaranteed to whom. */
export interface GuaranteeOptions<A extends Args, Async extends boolean = boolean> {
  /**
   * The units that are guaranteed to the request's tenant, whatever others use: a whole number from 0 to `total`, or a
   * function that returns it. They are counted by the algorithm and the window of the limit; a bucket refills its part
   * at the same part of the rate.
   */
  limit: Resolvable<A, number, Async>;
  /**
   * Returns the tenant. With an array, all parts make one compound key. If it returns undefined or null, or if a part
   * is missing, nothing is guaranteed to the request.
   */
  keyGenerator: KeyGenerator<A, Async> | readonly KeyGenerator<A, Async>[];
  /**
   * The units that are guaranteed to all tenants together: a whole number from 0 to the limit. If the guarantees of the
   * tenants add up to more, they cannot all be kept; the limit still holds.
   */
  total: number;
}

/** The options of a limit item that guarantee parts of it. */
export interface GuaranteeItemOptions<A extends Args, Async extends boolean = boolean> {
  /**
   * Guarantees a part of the limit to each tenant. The rest, and what is lent, belongs to whoever comes first. Default:
   * no guarantee.
   */
  guarantee?: GuaranteeOptions<A, Async>;
  /**
   * Only with `guarantee`: how much of the guaranteed units others may use while their tenants do not, from 0 to 1. When
   * the tenants come back, up to `lend * total` units more than the limit are admitted in a window. Default: 0.
   */
  lend?: number;
}

/**
 * One limit with its own options. Options that are absent come from the policy. `settle(number)` does not change a
 * limit with its own `cost`.
 */
export type LimitItem<A extends Args, Async extends boolean = boolean> = Amount<A, Async> &
  Own<A, Async> &
  GuaranteeItemOptions<A, Async>;

/**
 * The options of a policy. The top level is itself one limit item, or lists several in `limits`. These inherit
 * `keyGenerator`, `partition`, `cost`, `quotaUnit`, `enforce`, `slowDown`, `tolerance`, `elastic` and `headroom`.
 */
export type PolicyOptions<A extends Args, Async extends boolean = boolean> = Own<A, Async> &
  (
    | (Amount<A, Async> & GuaranteeItemOptions<A, Async> & { limits?: never })
    | {
        /** Several limits, which are decided in one step: a request spends on all of them, or on none. At least one. */
        limits: readonly (Limit | LimitItem<A, Async>)[];
        limit?: never;
        window?: never;
        guarantee?: never;
        lend?: never;
      }
  ) & {
    /** Returns true for a request that is allowed without being counted. Default: every request counts. */
    skip?: Resolver<A, boolean, Async>;
    /**
     * Returns how much a request matters, for limits with `headroom`. Default: `'normal'`. If the function fails, or returns
     * anything else, the request is `'low'`, with one process warning, `SLUICE_HOOK_FAILED`.
     */
    priority?: Resolver<A, Priority, Async>;
    /**
     * What happens if the store fails. `'local'` counts in this process, with this instance's share of the limits (by the store's
     * `instances`). `'allow'` allows every request, and `'deny'` refuses every request. Default: `'local'`; `'deny'` if the
     * `quotaUnit` of a limit is `'micro-dollars'`, which is money.
     */
    onStoreError?: 'local' | 'allow' | 'deny';
    /**
     * How long this policy waits for the store, before `onStoreError` decides: at most `'1m'`. It has no meaning for a store in this
     * process, which replies at once. Default: the store's own `timeout`; `'500ms'` if the `quotaUnit` of a limit is
     * `'micro-dollars'`.
     */
    timeout?: Duration;
    /** Where the policy counts. Default: a new MemoryStore. */
    store?: Store<Async> | undefined;
  };
