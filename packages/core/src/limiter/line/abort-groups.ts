import { getOrCreate } from '../../values/get-or-create.js';

interface Abortable {
  readonly signal: AbortSignal | undefined;
}

/** Those who wait with one signal, and the listener that they share. */
interface Group<Item> {
  readonly items: Set<Item>;
  readonly listener: () => void;
}

/**
 * Calls back for each item whose signal aborts. Each signal has one listener, however many items share it, because a
 * signal takes longer for each further listener, and warns of more than ten.
 */
export class AbortGroups<Item extends Abortable> {
  readonly #groups = new Map<AbortSignal, Group<Item>>();
  readonly #aborted: (item: Item, reason: unknown) => void;

  constructor(aborted: (item: Item, reason: unknown) => void) {
    this.#aborted = aborted;
  }

  add(item: Item): void {
    const { signal } = item;
    if (signal) getOrCreate(this.#groups, signal, () => this.#groupOf(signal)).items.add(item);
  }

  /** Items that were not added are ignored. */
  remove(item: Item): void {
    const { signal } = item;
    const group = signal && this.#groups.get(signal);
    if (!group) return;
    group.items.delete(item);
    if (group.items.size > 0) return;
    this.#groups.delete(signal);
    signal.removeEventListener('abort', group.listener);
  }

  #groupOf(signal: AbortSignal): Group<Item> {
    const items = new Set<Item>();
    const listener = (): void => {
      for (const item of items) this.#aborted(item, signal.reason);
    };
    signal.addEventListener('abort', listener);
    return { items, listener };
  }
}
