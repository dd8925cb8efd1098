import type { Check, Store } from '../store.js';
import type { SingleLimitFastPath } from './fast-path.js';

/** Which limit is to be asked about. */
export type SingleLimit = Pick<Check, 'policy' | 'name' | 'limit'>;

interface Offer {
  readonly consume: Store['consume'];
  readonly fastPathOf: (metered: SingleLimit) => SingleLimitFastPath;
}

const offers = new WeakMap<Store, Offer>();

/** Has a store asked by meters, as long as its `consume` is this one. */
export function offerFastPaths(store: Store, consume: Store['consume'], fastPathOf: Offer['fastPathOf']): void {
  offers.set(store, { consume, fastPathOf });
}

/** A meter for a limit in a store; undefined where the store has none, or answers in another way than it offered. */
export function fastPathIn(store: Store, metered: SingleLimit): SingleLimitFastPath | undefined {
  const offer = offers.get(store);
  return offer?.consume === store.consume ? offer.fastPathOf(metered) : undefined;
}
