// Why it is so: docs/why/waiting.md

import type { LimitCheck } from '../../stores/store.js';
import type { Verdict } from '../../values/decision.js';
import { usesSlots } from '../../values/limit.js';
import { IS_REQUEST_BOUND } from '../../values/request-bound.js';
import type { LeaseRenewer } from '../life/lease-renewer.js';
import type { Flow, Waiter } from './flow.js';
import { FlowTable } from './flow-table.js';
import type { KeyedLimit } from './keyed-limit.js';
import type { Order } from './schedule.js';
import type { WakeUps } from './wake-ups.js';

/** What a dispatcher does with the waiters whose turn it is. */
interface Dispatched<A, R> {
  /** Ends the wait of a waiter that must not ask any more. Returns whether it did. */
  endIfOver(waiter: Waiter<A, R>): boolean;
  ask(waiter: Waiter<A, R>): void;
}

/** What it needs besides: a clock that wakes limits, and news of freed slots. */
interface Surroundings<A, R> {
  readonly nowMs: () => number;
  readonly wakeUps: WakeUps<KeyedLimit<Flow<A, R>> | Waiter<A, R>>;
  readonly renewer: LeaseRenewer;
}

/**
 * Decides which waiter asks, and when. A flow waits for the first of its limits that has no room. When the limit may
 * have room again, the heads of its flows ask one after the other, until one is refused.
 */
export class Dispatcher<A, R> {
  /** As much as the largest cost since the line was last empty. */
  readonly #quantum = { units: 1 };
  readonly #flows: FlowTable<A, R>;
  readonly #host: Dispatched<A, R>;
  readonly #around: Surroundings<A, R>;
  /** The limits where something has changed. */
  readonly #marked: KeyedLimit<Flow<A, R>>[] = [];
  #isServing = false;
  /** The limits that wait for a slot. While there are any, it hears of slots that are freed in this process. */
  readonly #fullOfSlots = new Set<KeyedLimit<Flow<A, R>>>();

  constructor(order: Order, host: Dispatched<A, R>, around: Surroundings<A, R>) {
    this.#flows = new FlowTable(order, this.#quantum);
    this.#host = host;
    this.#around = around;
  }

  /** Whether nobody waits or asks. */
  get isEmpty(): boolean {
    return this.#flows.isEmpty;
  }

  /** Puts a waiter among those with the same limits and keys. It has no flow if no limit can refuse it. */
  join(waiter: Waiter<A, R>): void {
    const flow = this.#flows.flowOf(waiter.checks, waiter.key);
    if (flow === waiter.flow) return;
    this.leave(waiter);
    waiter.flow = flow;
    if (!flow) return;
    flow.size += 1;
    if (waiter.isListed) flow.listed += 1;
    flow.weight = waiter.weight;
    waiter.units = Math.max(1, ...flow.limits.map((limit) => flow.checkOf(waiter, limit).cost));
    this.#quantum.units = Math.max(this.#quantum.units, waiter.units);
  }

  /** Takes a waiter that is not in a queue out of its flow. */
  leave(waiter: Waiter<A, R>): void {
    const { flow } = waiter;
    if (!flow) return;
    waiter.flow = undefined;
    flow.size -= 1;
    if (waiter.isListed) flow.listed -= 1;
    if (flow.size > 0) return;
    for (const limit of this.#flows.remove(flow)) this.#awaken(limit);
    if (this.#flows.isEmpty) this.#quantum.units = 1;
  }

  /** Notes that a waiter asks. Call the returned function when it has its answer. */
  asking(waiter: Waiter<A, R>): () => void {
    const limits = waiter.flow?.limits ?? [];
    waiter.state = 'asking';
    for (const limit of limits) limit.asking += 1;
    return () => {
      for (const limit of limits) {
        limit.asking -= 1;
        this.#mark(limit);
      }
    };
  }

  /**
   * Lets each limit of a waiter note its verdict.
   *
   * @param note - returns for how many milliseconds the limit need not be asked
   */
  note(
    { flow, checks }: Waiter<A, R>,
    verdicts: readonly Verdict[],
    note: (limit: KeyedLimit<Flow<A, R>>, verdict: Verdict, check: LimitCheck, nowMs: number) => number,
  ): void {
    if (!flow) return;
    const nowMs = this.#around.nowMs();
    for (const limit of flow.limits) {
      const i = flow.positionOf(limit);
      const sleepMs = note(limit, verdicts[i] as Verdict, checks[i] as LimitCheck, nowMs);
      if (sleepMs > 0) this.#sleep(limit, nowMs + sleepMs);
    }
  }

  /** @param hasAsked - whether it goes back to where it was before it asked */
  queue(waiter: Waiter<A, R>, hasAsked: boolean): void {
    const flow = waiter.flow as Flow<A, R>;
    waiter.state = 'queued';
    if (hasAsked) {
      flow.putBack(waiter);
      if (waiter.hasSpent) flow.credit += waiter.units;
      waiter.hasSpent = false;
    } else flow.add(waiter);
    this.#place(flow, hasAsked);
  }

  /** Takes a waiter out of the queue of its flow. */
  dequeue(waiter: Waiter<A, R>): void {
    const flow = waiter.flow as Flow<A, R>;
    flow.remove(waiter);
    for (const limit of flow.limits) this.#mark(limit);
    if (flow.head) flow.waitsFor?.waiting.moved(flow);
    else this.#displace(flow);
  }

  /** Lets all waiters ask that wait for nothing any more. Call it after each change. */
  serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      for (let limit = this.#marked.pop(); limit; limit = this.#marked.pop()) {
        limit.isMarked = false;
        this.#serveAt(limit);
      }
    } finally {
      this.#isServing = false;
    }
  }

  /** Call it when a limit may have room again. */
  wake(limit: KeyedLimit<Flow<A, R>>): void {
    this.#awaken(limit);
    limit.wake();
    this.#mark(limit);
    this.serve();
  }

  #serveAt(limit: KeyedLimit<Flow<A, R>>): void {
    for (let flow = limit.waiting.next(); flow; flow = limit.waiting.next()) {
      const waiter = flow.head as Waiter<A, R>;
      if (this.#host.endIfOver(waiter)) continue;
      const closed = flow.closedLimit(waiter);
      if (closed === limit) return;
      if (closed) {
        this.#displace(flow);
        this.#place(flow, false);
      } else {
        flow.remove(waiter);
        limit.waiting.spent(flow, waiter.units);
        waiter.hasSpent = true;
        if (!flow.head) this.#displace(flow);
        this.#host.ask(waiter);
      }
    }
  }

  /** Lets a flow wait for the first of its limits that has no room. */
  #place(flow: Flow<A, R>, hasAsked: boolean): void {
    const { head } = flow;
    if (!head) return;
    if (flow.waitsFor) flow.waitsFor.waiting.moved(flow);
    else {
      const limit = flow.closedLimit(head) ?? (flow.limits.at(-1) as KeyedLimit<Flow<A, R>>);
      flow.waitsFor = limit;
      if (hasAsked) limit.waiting.resume(flow);
      else limit.waiting.add(flow);
    }
    this.#mark(flow.waitsFor);
  }

  #displace(flow: Flow<A, R>): void {
    flow.waitsFor?.waiting.remove(flow);
    flow.waitsFor = undefined;
  }

  #mark(limit: KeyedLimit<Flow<A, R>>): void {
    if (limit.isMarked) return;
    limit.isMarked = true;
    this.#marked.push(limit);
  }

  #sleep(limit: KeyedLimit<Flow<A, R>>, untilMs: number): void {
    this.#around.wakeUps.set(limit, untilMs);
    // Whoever frees a slot would ask for another request.
    if (!usesSlots(limit.check.limit) || IS_REQUEST_BOUND) return;
    if (this.#fullOfSlots.size === 0) this.#around.renewer.subscribe(this.#freed);
    this.#fullOfSlots.add(limit);
  }

  #awaken(limit: KeyedLimit<Flow<A, R>>): void {
    this.#around.wakeUps.remove(limit);
    if (this.#fullOfSlots.delete(limit) && this.#fullOfSlots.size === 0) this.#around.renewer.unsubscribe(this.#freed);
  }

  /** Wakes the limits whose slots are freed, as soon as the store knows it. */
  readonly #freed = (checks: readonly LimitCheck[]): void => {
    for (const limit of this.#fullOfSlots) {
      if (checks.some((check) => isSameState(check, limit.check)))
        queueMicrotask(() => this.#fullOfSlots.has(limit) && this.wake(limit));
    }
  };
}

function isSameState({ policy, name, key }: LimitCheck, other: LimitCheck): boolean {
  return policy === other.policy && name === other.name && key === other.key;
}
