import type { Check, Store } from '../store.js';
import type { Meter } from './fast-path.js';

/** Which limit is to be asked about. */
export type Metered = Pick<Check, 'policy' | 'name' | 'limit'>;

interface Offer {
  readonly consume: Store['consume'];
  readonly meterOf: (metered: Metered) => Meter;
}

const offers = new WeakMap<Store, Offer>();

/** Has a store asked by meters, as long as its `consume` is this one. */
export function offerMeters(store: Store, consume: Store['consume'], meterOf: Offer['meterOf']): void {
  offers.set(store, { consume, meterOf });
}

/** A meter for a limit in a store; undefined where the store has none, or answers in another way than it offered. */
export function meterIn(store: Store, metered: Metered): Meter | undefined {
  const offer = offers.get(store);
  return offer?.consume === store.consume ? offer.meterOf(metered) : undefined;
}
