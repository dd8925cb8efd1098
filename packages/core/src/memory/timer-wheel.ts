/** What a wheel holds: a link of a list in one of its slots. */
export interface Timed<Item> {
  /** When the item is due. Call `moved` after changing it. */
  dueMs: number;
  slot: Slot<Item> | undefined;
  next: Item | undefined;
  previous: Item | undefined;
}

/** The items that are due from `startMs` up to, not including, `endMs`, in no order. */
export interface Slot<Item> {
  readonly startMs: number;
  readonly endMs: number;
  first: Item | undefined;
}

/** Slots of one level are 8 times as wide as those of the level below. */
const FACTOR = 8;

/** Items that are due in more than this (some 8,900 years) stand together at the end. */
const FARTHEST_MS = FACTOR ** 16;

/**
 * Items by when they are due, to within an eighth of the time left, at a constant price for each.
 *
 * An item that is due in `d` is put in a slot at most `d / 8` wide; there are at most some 60 slots of each width, so
 * the sorted list of slots stays short however many items there are. When a slot comes near, its items are put in
 * narrower ones. An item whose time moves later stays where it is until its slot is looked at.
 *
 * After Varghese and Lauck, "Hashed and hierarchical timing wheels", SOSP 1987.
 */
export class TimerWheel<Item extends Timed<Item>> {
  /** By start; of those that start together, the narrow first. */
  readonly #slots: Slot<Item>[] = [];

  add(item: Item, nowMs: number): void {
    const slot = this.#slotFor(item.dueMs, nowMs);
    item.slot = slot;
    item.previous = undefined;
    item.next = slot.first;
    if (slot.first) slot.first.previous = item;
    slot.first = item;
  }

  remove(item: Item): void {
    const { slot, next, previous } = item;
    if (!slot) return;
    if (next) next.previous = previous;
    if (previous) previous.next = next;
    else slot.first = next;
    item.slot = item.next = item.previous = undefined;
    if (!slot.first) this.#slots.splice(this.#indexOf(slot.startMs, slot.endMs), 1);
  }

  /** The item's time has changed. */
  moved(item: Item, nowMs: number): void {
    if (item.slot && item.dueMs >= item.slot.startMs) return;
    this.remove(item);
    this.add(item, nowMs);
  }

  /**
   * Removes and returns an item that is due by `nowMs`, looking at no more than `patience.looks` items, which it counts
   * down.
   */
  takeDue(nowMs: number, patience: { looks: number }): Item | undefined {
    for (let slot = this.#slots[0]; slot && slot.startMs <= nowMs && patience.looks > 0; slot = this.#slots[0]) {
      const item = slot.first as Item;
      patience.looks -= 1;
      this.remove(item);
      if (item.dueMs <= nowMs) return item;
      this.add(item, nowMs);
    }
    return undefined;
  }

  /** Removes and returns the item that is due first, to within an eighth of the time left. */
  takeFirst(nowMs: number): Item | undefined {
    for (let slot = this.#slots[0]; slot; slot = this.#slots[0]) {
      const item = slot.first as Item;
      const isFine = slot.endMs - slot.startMs <= Math.max(1, (slot.endMs - nowMs) / FACTOR);
      this.remove(item);
      if (item.dueMs <= nowMs || (isFine && item.dueMs < slot.endMs)) return item;
      this.add(item, nowMs);
    }
    return undefined;
  }

  /** The slot for a time, made if it is not there. */
  #slotFor(dueMs: number, nowMs: number): Slot<Item> {
    const timeMs = Math.min(dueMs, nowMs + FARTHEST_MS);
    let widthMs = 1;
    while (timeMs - nowMs >= widthMs * FACTOR * FACTOR) widthMs *= FACTOR;
    const startMs = Math.floor(timeMs / widthMs) * widthMs;
    const endMs = timeMs < dueMs ? Number.POSITIVE_INFINITY : startMs + widthMs;
    const index = this.#indexOf(startMs, endMs);
    const found = this.#slots[index];
    if (found && found.startMs === startMs && found.endMs === endMs) return found;
    const slot: Slot<Item> = { startMs, endMs, first: undefined };
    this.#slots.splice(index, 0, slot);
    return slot;
  }

  /** Where a slot stands among the others, or would stand. */
  #indexOf(startMs: number, endMs: number): number {
    let [low, high] = [0, this.#slots.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const slot = this.#slots[middle] as Slot<Item>;
      if (slot.startMs < startMs || (slot.startMs === startMs && slot.endMs < endMs)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
