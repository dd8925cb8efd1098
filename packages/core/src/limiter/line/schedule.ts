// Why it is so: docs/why/waiting.md

import { type Due, DueHeap } from '../due-heap.js';
import { Queue, type Queued } from './queue.js';

/**
 * How callers are ordered:
 *
 * - `'fair'`: keys take turns, and within a key the first comes first.
 * - `'fifo'`: the first of all comes first.
 * - `'newest'`: the last of all comes first.
 */
export type Order = 'fair' | 'fifo' | 'newest';

/** The callers of one key, as a schedule sees them. A flow is in at most one schedule. */
export interface Scheduled extends Queued<Scheduled>, Due {
  /** The caller that is next; undefined if there is none. */
  readonly head: { readonly arrival: number; readonly units: number } | undefined;
  /** How many quanta the key gets in each of its turns: a whole number of at least 1. */
  readonly weight: number;
  /** The units that the key may still spend in this turn. */
  credit: number;
  /** Whether the turn of the key has begun. */
  hasTurn: boolean;
}

/** Keys that wait for one thing, and which of them is next. No key in it is without a caller. */
export interface Schedule<Flow extends Scheduled> {
  /** The key that is next. */
  next(): Flow | undefined;
  /** Adds a key. Its turn has not begun, and nothing is left of an earlier one. */
  add(flow: Flow): void;
  /** Adds a key whose turn was interrupted. */
  resume(flow: Flow): void;
  remove(flow: Flow): void;
  /** Call it when the head of a key has changed, for another reason than `spent`. */
  moved(flow: Flow): void;
  /** Call it when the head of a key was taken: it has this many units, and `flow.head` is the caller behind it. */
  spent(flow: Flow, units: number): void;
}

/** What keys get in a turn: as much as the largest cost, so that each turn serves at least one caller. */
export interface Quantum {
  readonly units: number;
}

/** Returns an empty schedule. */
export function scheduleOf<Flow extends Scheduled>(order: Order, quantum: Quantum): Schedule<Flow> {
  return order === 'fair' ? new FairSchedule(quantum) : new ArrivalSchedule(order);
}

/**
 * Lets keys take turns by deficit round robin. In a turn a key may spend one quantum for each unit of its weight; what
 * it cannot spend is left for its next turn, as long as it has callers. So a key that has one caller waits for at most
 * one quantum of each other key, however many callers they have.
 *
 * M. Shreedhar and G. Varghese, "Efficient Fair Queuing Using Deficit Round Robin", IEEE/ACM Transactions on Networking
 * 4 (3), 1996.
 */
class FairSchedule<Flow extends Scheduled> implements Schedule<Flow> {
  readonly #quantum: Quantum;
  readonly #ring = new Queue<Scheduled>();

  constructor(quantum: Quantum) {
    this.#quantum = quantum;
  }

  next(): Flow | undefined {
    for (let flow = this.#ring.first; flow?.head; flow = this.#ring.first) {
      if (!flow.hasTurn) {
        flow.hasTurn = true;
        flow.credit += this.#quantum.units * flow.weight;
      }
      if (flow.credit >= flow.head.units) return flow as Flow;
      flow.hasTurn = false;
      this.#ring.remove(flow);
      this.#ring.addAfter(this.#ring.last, flow);
    }
    return undefined;
  }

  add(flow: Flow): void {
    flow.hasTurn = false;
    flow.credit = 0;
    this.#ring.addAfter(this.#ring.last, flow);
  }

  resume(flow: Flow): void {
    this.#ring.addAfter(undefined, flow);
  }

  remove(flow: Flow): void {
    this.#ring.remove(flow);
  }

  moved(): void {}

  spent(flow: Flow, units: number): void {
    flow.credit -= units;
  }
}

/** Serves callers in the order of their arrival, or in the opposite order, whatever their keys are. */
class ArrivalSchedule<Flow extends Scheduled> implements Schedule<Flow> {
  readonly #sign: 1 | -1;
  readonly #heap = new DueHeap<Flow>();

  constructor(order: 'fifo' | 'newest') {
    this.#sign = order === 'fifo' ? 1 : -1;
  }

  next(): Flow | undefined {
    return this.#heap.first;
  }

  add(flow: Flow): void {
    flow.dueMs = this.#rank(flow);
    this.#heap.add(flow);
  }

  resume(flow: Flow): void {
    this.add(flow);
  }

  remove(flow: Flow): void {
    this.#heap.remove(flow);
  }

  moved(flow: Flow): void {
    flow.dueMs = this.#rank(flow);
    this.#heap.moved(flow);
  }

  spent(flow: Flow): void {
    if (flow.head) this.moved(flow);
  }

  #rank({ head }: Flow): number {
    return head ? this.#sign * head.arrival : Number.POSITIVE_INFINITY;
  }
}
