import type { StoreRequest } from '../../stores/store.js';
import type { Sleeper } from '../../values/clock.js';
import type { HeldCheck } from '../guarantee.js';

/** How a slot is renewed: `'held'` if others may free it, and how long that waits for the store. */
export type Renewing = Required<Pick<StoreRequest, 'renew'>> & Pick<StoreRequest, 'timeoutMs'>;

/** One or several slots under one id, held by a running request. */
export interface HeldSlot {
  readonly id: string;
  readonly checks: readonly HeldCheck[];
  readonly renewing: Renewing;
  /** A third of the lease. */
  readonly everyMs: number;
  /** The cost of a renewal: 1 if a key has few slots. */
  readonly weight: number;
  renewAtMs: number;
  /** Sleeps for this slot alone, in a Worker. */
  alone?: Pick<Sleeper, 'end'>;
  /** The renewal that is under way. It never rejects. */
  renewal: PromiseLike<void> | undefined;
  /** The neighbours in the queue. */
  before: HeldSlot | undefined;
  after: HeldSlot | undefined;
}

/**
 * Held slots with the same period, in the order in which they are due. A new slot is always due last. So nothing has to
 * be sorted, and no slot is read before it is due.
 */
export class RenewalQueue {
  #first: HeldSlot | undefined;
  #last: HeldSlot | undefined;

  /** The next slot to renew. */
  get first(): HeldSlot | undefined {
    return this.#first;
  }

  add(slot: HeldSlot): void {
    slot.before = this.#last;
    slot.after = undefined;
    if (this.#last) this.#last.after = slot;
    else this.#first = slot;
    this.#last = slot;
  }

  remove(slot: HeldSlot): void {
    if (slot.before) slot.before.after = slot.after;
    else this.#first = slot.after;
    if (slot.after) slot.after.before = slot.before;
    else this.#last = slot.before;
  }
}
