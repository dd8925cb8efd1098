import { type Clock, type Sleeper, sleeperOn } from '../../values/clock.js';
import { type Due, DueHeap } from '../due-heap.js';

/** Calls back when items are due, with a single sleep on a clock. */
export class WakeUps<Item extends Due> {
  readonly #clock: Clock;
  readonly #heap = new DueHeap<Item>();
  readonly #sleeper: Sleeper;
  readonly #wake: (items: readonly Item[]) => void;
  /** Infinite while it does not sleep. */
  #sleepsUntilMs = Number.POSITIVE_INFINITY;

  /** @param wake - called with all items that are due, in their order. They are no longer in here then. */
  constructor(clock: Clock, wake: (items: readonly Item[]) => void) {
    this.#clock = clock;
    this.#wake = wake;
    this.#sleeper = sleeperOn(clock, () => this.#woken());
  }

  /** Adds an item, or changes its time. */
  set(item: Item, dueMs: number): void {
    item.dueMs = dueMs;
    if (item.index < 0) this.#heap.add(item);
    else this.#heap.moved(item);
    this.#sleep();
  }

  /** A sleep that is now too short costs one wake-up. Without items nothing keeps the process alive. */
  remove(item: Item): void {
    if (item.index < 0) return;
    this.#heap.remove(item);
    if (this.#heap.size > 0) return;
    this.#sleepsUntilMs = Number.POSITIVE_INFINITY;
    this.#sleeper.end();
  }

  #sleep(): void {
    const { first } = this.#heap;
    if (!first || this.#sleepsUntilMs <= first.dueMs) return;
    this.#sleepsUntilMs = first.dueMs;
    this.#sleeper.begin(Math.max(0, first.dueMs - this.#clock.now()));
  }

  /** The sleep is over, also for a clock that was set back meanwhile. */
  #woken(): void {
    const nowMs = Math.max(this.#clock.now(), this.#sleepsUntilMs);
    this.#sleepsUntilMs = Number.POSITIVE_INFINITY;
    const due: Item[] = [];
    for (let { first } = this.#heap; first && first.dueMs <= nowMs; { first } = this.#heap) {
      this.#heap.remove(first);
      due.push(first);
    }
    this.#wake(due);
    this.#sleep();
  }
}
