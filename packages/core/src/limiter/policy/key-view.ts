import type { Verdict } from '../../values/decision.js';
import type { Eventual } from '../../values/eventual.js';
import type { Key } from '../../values/key.js';
import type { Limit } from '../../values/limit.js';

/**
 * The property of a limit item that says what it knows of keys without a request. A program can have two copies of this package,
 * so the symbol is that of the process.
 */
export const KEY_VIEW: unique symbol = Symbol.for('sluice.key-view') as never;

/** A limit, and a key that it counts. */
export interface KeyLimit {
  /** The name of the limit in the policy. */
  readonly name: string;
  /** The key as stores have it: see `encodeKey`. */
  readonly key: string;
  /** The limit as it is now. */
  readonly limit: Limit;
  /** The name in the verdict. Default: `name`. */
  readonly shownAs?: string;
}

/** What was counted for keys at one moment. */
export interface KeyCounts {
  /** The store's time. */
  readonly atMs: number;
  /** One verdict per limit, in the order of the limits, as a peek with a cost of 1 gives it. */
  readonly verdicts: readonly Verdict[];
}

/** A policy that can be asked about keys. */
export interface KeyCounter {
  /** The name of the policy. */
  readonly name: string;
  /** Reads what was counted, in one step, and spends nothing. Fails with `SLUICE_STORE` if the store fails. */
  look(limits: readonly KeyLimit[]): Eventual<KeyCounts>;
}

/**
 * What items whose limits are functions know of keys. `inspect` asks it, because a function of a request cannot be called with a key.
 * Several items may share one view, which then knows the limits of all of them.
 */
export interface KeyView {
  /** Returns the limits of a key. No two have the same name and key. */
  limitsOf(key: Key): Eventual<readonly KeyLimit[]>;
  /** Called by each policy that has an item with this view. The view must not keep the policy alive. */
  joined(policy: KeyCounter): void;
}
