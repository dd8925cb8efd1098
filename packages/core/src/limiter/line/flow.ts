import type { LimitCheck } from '../../stores/store.js';
import type { Due } from '../due-heap.js';
import type { KeyedLimit } from './keyed-limit.js';
import { Queue, type Queued } from './queue.js';
import type { Scheduled } from './schedule.js';

/**
 * Called before a request waits. It may return a signal that ends the wait, return false to refuse the request, or throw.
 * `waitMs` is how long it would wait at least; `flow` are those with the same key; `waiter` is the request itself, for `giveWay`.
 */
export type MayWait<A, R> = (waitMs: number, flow: Flow<A, R>, waiter: Waiter<A, R>) => AbortSignal | false | undefined;

/** A request that comes to a line. */
export interface Entry<A, R> {
  readonly args: A;
  /** Replaces the cost of the policy. */
  readonly cost?: number | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The longest wait. Absent: no maximum. */
  readonly maxWaitMs?: number | undefined;
  /** Requests with different keys take turns. Default: those whose limits or keys differ do. */
  readonly key?: string;
  /** How much more than others the key gets: a whole number of at least 1. Default: 1. */
  readonly weight?: number;
  readonly mayWait?: MayWait<A, R>;
}

/** Why a wait has ended. */
export interface Ended {
  readonly reason: unknown;
}

/** A request that asks through a line. If there is no room for it, it waits there. */
export interface Waiter<A, R> extends Queued<Waiter<A, R>>, Due {
  readonly args: A;
  readonly cost: number | undefined;
  signal: AbortSignal | undefined;
  /** Its number among all requests of the line. */
  readonly arrival: number;
  readonly arrivedMs: number;
  /** When its wait ends at the latest. */
  deadlineMs: number;
  /** The key that it shares a flow with others by, besides the keys of the limits. */
  readonly key: string;
  readonly weight: number;
  /** Called once. */
  readonly mayWait: MayWait<A, R> | undefined;
  /** Whether it is listed among those that wait. */
  isListed: boolean;
  /** What it asks for, as of its last request. */
  checks: readonly LimitCheck[];
  /** The units of the check that asks for most; at least 1. */
  units: number;
  flow: Flow<A, R> | undefined;
  /** Whether its units were taken from the credit of its flow. */
  hasSpent: boolean;
  /**
   * `'asking'`: the store is asked. `'queued'`: it waits in its flow. `'delayed'`: it is admitted, and waits for its
   * turn. `'done'`: it has its result.
   */
  state: 'asking' | 'queued' | 'delayed' | 'done';
  /** Why it ended while the store was asked. */
  ended: Ended | undefined;
  /** Its reservation while it is delayed, and its result before anybody awaits it. */
  reservation: R | undefined;
  /** Undefined as long as nobody awaits its result. */
  promise:
    | { readonly resolve: (reservation: R | undefined) => void; readonly reject: (reason: unknown) => void }
    | undefined;
}

/** The waiters of one key. They have the same limits. */
export class Flow<A, R> implements Scheduled, Queued<Scheduled> {
  readonly id: string;
  readonly limits: readonly KeyedLimit<Flow<A, R>>[];
  /** For each of the limits: the position of its check. */
  readonly #positions: readonly number[];
  readonly #waiters = new Queue<Waiter<A, R>>();
  readonly #isNewestFirst: boolean;
  /** How many waiters are in the queue, or ask. */
  size = 0;
  /** How many of them are listed among those that wait. */
  listed = 0;
  /** The limit that it waits for; undefined if nobody is in its queue. */
  waitsFor: KeyedLimit<Flow<A, R>> | undefined;

  weight = 1;
  credit = 0;
  hasTurn = false;
  before: Scheduled | undefined;
  after: Scheduled | undefined;
  dueMs = 0;
  index = -1;

  constructor(
    id: string,
    limits: readonly KeyedLimit<Flow<A, R>>[],
    positions: readonly number[],
    isNewestFirst: boolean,
  ) {
    this.id = id;
    this.limits = limits;
    this.#positions = positions;
    this.#isNewestFirst = isNewestFirst;
  }

  /** The waiter that asks next. */
  get head(): Waiter<A, R> | undefined {
    return this.#isNewestFirst ? this.#waiters.last : this.#waiters.first;
  }

  /** The waiter in the queue that came first. */
  get oldest(): Waiter<A, R> | undefined {
    return this.#waiters.first;
  }

  /** Adds a waiter that came later than all others. */
  add(waiter: Waiter<A, R>): void {
    this.#waiters.addAfter(this.#waiters.last, waiter);
  }

  /** Puts a waiter back that asked in vain. Only few were asking beside it, so its place is near the head. */
  putBack(waiter: Waiter<A, R>): void {
    let before: Waiter<A, R> | undefined;
    if (this.#isNewestFirst) {
      before = this.#waiters.last;
      while (before && before.arrival > waiter.arrival) before = before.before;
    } else {
      for (let next = this.#waiters.first; next && next.arrival < waiter.arrival; next = next.after) before = next;
    }
    this.#waiters.addAfter(before, waiter);
  }

  remove(waiter: Waiter<A, R>): void {
    this.#waiters.remove(waiter);
  }

  /** The check of a waiter that one of the limits decides. */
  checkOf(waiter: Waiter<A, R>, limit: KeyedLimit<Flow<A, R>>): LimitCheck {
    return waiter.checks[this.positionOf(limit)] as LimitCheck;
  }

  positionOf(limit: KeyedLimit<Flow<A, R>>): number {
    return this.#positions[this.limits.indexOf(limit)] as number;
  }

  /** The first limit that the waiter should not ask now. */
  closedLimit(waiter: Waiter<A, R>): KeyedLimit<Flow<A, R>> | undefined {
    return this.limits.find((limit) => limit.isClosedFor(this.checkOf(waiter, limit).cost));
  }

  /** Whether a newcomer may ask at once: there may be room, and nobody is before it. */
  isFreeFor(waiter: Waiter<A, R>): boolean {
    if (this.closedLimit(waiter)) return false;
    return this.#isNewestFirst || this.limits.every(({ waiting }) => waiting.next() === undefined);
  }

  /** The time before which there is certainly no room for the waiter; 0 if nobody knows. */
  closedUntilMs(waiter: Waiter<A, R>): number {
    return Math.max(...this.limits.map((limit) => limit.closedUntilMs(this.checkOf(waiter, limit).cost)));
  }

  /** For how long each limit certainly has no room for the waiter, by the position of its check; negative if nobody knows. */
  waitsMs(waiter: Waiter<A, R>, nowMs: number): ReadonlyMap<number, number> {
    return new Map(
      this.limits.map((limit) => [
        this.positionOf(limit),
        limit.closedUntilMs(this.checkOf(waiter, limit).cost) - nowMs,
      ]),
    );
  }

  /** How long its waiters wait at least; undefined if nobody knows. */
  leastWaitMs(nowMs: number): number | undefined {
    const waitMs = Math.max(...this.limits.map(({ index, dueMs }) => (index < 0 ? 0 : dueMs - nowMs)));
    return waitMs > 0 ? waitMs : undefined;
  }
}

/** Makes a waiter that asks for the first time. */
export function newWaiter<A, R>(
  { args, cost, signal, maxWaitMs = Number.POSITIVE_INFINITY, key = '', weight = 1, mayWait }: Entry<A, R>,
  arrival: number,
  arrivedMs: number,
): Waiter<A, R> {
  return {
    args,
    cost,
    signal,
    arrival,
    arrivedMs,
    deadlineMs: arrivedMs + maxWaitMs,
    key,
    weight,
    mayWait,
    isListed: false,
    checks: [],
    units: 1,
    flow: undefined,
    hasSpent: false,
    state: 'asking',
    ended: undefined,
    reservation: undefined,
    promise: undefined,
    before: undefined,
    after: undefined,
    dueMs: 0,
    index: -1,
  };
}
