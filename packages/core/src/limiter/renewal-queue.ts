import type { Check } from '../stores/store.js';

/** A slot, or several under one id, held by a request that is under way. */
export interface HeldSlot {
  readonly id: string;
  readonly checks: readonly Check[];
  /** A third of the lease. */
  readonly everyMs: number;
  /** What a renewal costs, 1 where a key has few slots. */
  readonly weight: number;
  renewAtMs: number;
  /** Its neighbours in the queue. */
  before: HeldSlot | undefined;
  after: HeldSlot | undefined;
}

/**
 * Held slots that are renewed equally often, in the order in which they are due. Whatever is added is due last, so
 * nothing has to be sorted, and no slot is read that is not due.
 */
export class RenewalQueue {
  #first: HeldSlot | undefined;
  #last: HeldSlot | undefined;

  /** The next one to be renewed. */
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
