/** An item of a queue, with its neighbours. An item is in one queue at a time. */
export interface Queued<Item> {
  before: Item | undefined;
  after: Item | undefined;
}

/** A list from which an item can be removed at any position, in constant time. */
export class Queue<Item extends Queued<Item>> {
  #first: Item | undefined;
  #last: Item | undefined;

  get first(): Item | undefined {
    return this.#first;
  }

  get last(): Item | undefined {
    return this.#last;
  }

  /** Adds an item behind another one; without one, in front of all. */
  addAfter(before: Item | undefined, item: Item): void {
    const after = before ? before.after : this.#first;
    item.before = before;
    item.after = after;
    if (before) before.after = item;
    else this.#first = item;
    if (after) after.before = item;
    else this.#last = item;
  }

  /** Removes an item, which must be in this queue. */
  remove(item: Item): void {
    if (item.before) item.before.after = item.after;
    else this.#first = item.after;
    if (item.after) item.after.before = item.before;
    else this.#last = item.before;
    item.before = undefined;
    item.after = undefined;
  }
}
