/** In which order the event loop of Node takes what is due at one moment. */
export const PHASE = { timers: 0, network: 1, immediates: 2 } as const;

export type Phase = (typeof PHASE)[keyof typeof PHASE];

/** Something that is going to happen. */
export interface WorldEvent {
  /** When it happens: later than it is due if its owner is busy. */
  atMs: number;
  readonly dueMs: number;
  readonly phase: Phase;
  /** Orders the events of different owners that happen in one moment. It changes with that moment. */
  rank: number;
  /** Orders the events of one owner that are due in one moment. */
  readonly sequence: number;
  readonly owner: EventOwner | undefined;
  readonly run: () => void;
  /** Whether it has happened or was called off. One that was called off leaves the queue when its time comes. */
  isOver: boolean;
}

/** Whose events these are. */
export interface EventOwner {
  readonly name: string;
  /** False: its events do not happen any more. */
  readonly isAlive: boolean;
  /** Until then, nothing of it runs. What is due meanwhile happens then. */
  readonly busyUntilMs: number;
  /** Is called before an event of it happens. */
  enter(): void;
}

/** Events in the order of their times: a binary heap. */
export class EventQueue {
  readonly #heap: WorldEvent[] = [];

  get first(): WorldEvent | undefined {
    return this.#heap[0];
  }

  add(event: WorldEvent): void {
    const heap = this.#heap;
    let i = heap.length;
    heap.push(event);
    while (i > 0) {
      const above = (i - 1) >> 1;
      const parent = heap[above] as WorldEvent;
      if (!isBefore(event, parent)) break;
      heap[i] = parent;
      i = above;
    }
    heap[i] = event;
  }

  takeFirst(): WorldEvent | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let below = 2 * i + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1] as WorldEvent, heap[below] as WorldEvent)) below += 1;
      const child = heap[below] as WorldEvent;
      if (!isBefore(child, last)) break;
      heap[i] = child;
      i = below;
    }
    heap[i] = last;
    return first;
  }
}

function isBefore(one: WorldEvent, other: WorldEvent): boolean {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs;
  if (one.phase !== other.phase) return one.phase < other.phase;
  if (one.rank !== other.rank) return one.rank < other.rank;
  if (one.dueMs !== other.dueMs) return one.dueMs < other.dueMs;
  return one.sequence < other.sequence;
}
