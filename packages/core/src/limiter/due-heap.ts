/** An item that is due at a time. */
export interface Due {
  dueMs: number;
  /** The position in the heap; negative if the item is in none. */
  index: number;
}

/** Returns items in the order in which they are due. Adding and removing take logarithmic time. */
export class DueHeap<Item extends Due> {
  /** A binary heap: the item at `i` is due no later than those at `2i + 1` and `2i + 2`. */
  readonly #items: Item[] = [];

  get first(): Item | undefined {
    return this.#items[0];
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** Removes an item. An item that is in no heap is ignored. */
  remove(item: Item): void {
    const { index } = item;
    if (index < 0) return;
    item.index = -1;
    const last = this.#items.pop() as Item;
    if (last !== item) this.#settle(last, index);
  }

  /** Call it when the time of an item has changed. */
  moved(item: Item): void {
    this.#settle(item, item.index);
  }

  clear(): void {
    for (const item of this.#items) item.index = -1;
    this.#items.length = 0;
  }

  /** Moves an item up or down from a free position to the right one. */
  #settle(item: Item, index: number): void {
    this.#rise(item, index);
    this.#sink(item, item.index);
  }

  #rise(item: Item, from: number): void {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >>> 1;
      const parent = this.#items[above] as Item;
      if (parent.dueMs <= item.dueMs) break;
      this.#put(parent, index);
      index = above;
    }
    this.#put(item, index);
  }

  #sink(item: Item, from: number): void {
    let index = from;
    for (;;) {
      const left = this.#items[2 * index + 1];
      const right = this.#items[2 * index + 2];
      const child = left && right && right.dueMs < left.dueMs ? right : left;
      if (!child || child.dueMs >= item.dueMs) break;
      const below = child.index;
      this.#put(child, index);
      index = below;
    }
    this.#put(item, index);
  }

  #put(item: Item, index: number): void {
    this.#items[index] = item;
    item.index = index;
  }
}
