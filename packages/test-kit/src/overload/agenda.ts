interface Entry {
  readonly atMs: number;
  /** Of entries for the same moment the older one comes first. */
  readonly order: number;
  readonly act: () => void;
}

/** What is going to happen, by its time: a binary heap. */
export class Agenda {
  readonly #heap: Entry[] = [];
  #added = 0;
  /** When the last thing happened. */
  nowMs = 0;

  /** When the next thing happens; Infinity if nothing will. */
  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  at(atMs: number, act: () => void): void {
    const entry = { atMs, order: this.#added++, act };
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(entry, heap[parent] as Entry)) break;
      heap[index] = heap[parent] as Entry;
      index = parent;
    }
    heap[index] = entry;
  }

  /** Does everything that happens until a moment, in the order of time. It may add more. */
  advance(untilMs: number): void {
    while (this.nextMs <= untilMs) {
      const { atMs, act } = this.#take();
      this.nowMs = atMs;
      act();
    }
  }

  #take(): Entry {
    const heap = this.#heap;
    const first = heap[0] as Entry;
    const last = heap.pop() as Entry;
    if (heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(entry: Entry): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child += 1;
      if (!isBefore(heap[child] as Entry, entry)) break;
      heap[index] = heap[child] as Entry;
      index = child;
    }
    heap[index] = entry;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
