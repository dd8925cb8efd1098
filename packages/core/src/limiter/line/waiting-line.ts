// Why it is so: docs/why/waiting.md

import type { LimitCheck } from '../../stores/store.js';
import { type Eventual, whenReady } from '../../values/eventual.js';
import type { Engine } from '../engine.js';
import { type LeaseRenewer, leaseRenewerOf } from '../life/lease-renewer.js';
import type { Args } from '../policy/options.js';
import type { ReplaceableEngine } from '../replaceable-engine.js';
import type { GrantedReservation } from '../reservation.js';
import { Asker, isHopeless, type WaitRules } from './asking.js';
import { Dispatcher } from './dispatcher.js';
import { Endings } from './endings.js';
import { type Entry, type Flow, newWaiter, type Waiter } from './flow.js';
import { KeyedLimit } from './keyed-limit.js';
import type { Order } from './schedule.js';
import { WaiterList } from './waiter-list.js';
import { WakeUps } from './wake-ups.js';

/** How a line serves those who wait. */
export interface LineRules extends WaitRules {
  readonly order: Order;
}

/**
 * Lets requests wait until the limits of a policy allow them. Only the first of each flow asks the store. If it is
 * refused, it asks again when there may be room, and those behind it wait for it. So each request asks once or twice,
 * however many wait.
 *
 * A limit that refuses stops all flows that it counts by the same key, and no other flow. Everything sleeps on one
 * timer.
 */
export class WaitingLine<A extends Args, R extends GrantedReservation> {
  readonly #engine: ReplaceableEngine<A, R>;
  readonly #dispatcher: Dispatcher<A, R>;
  readonly #waiters: WaiterList<A, R>;
  readonly #wakeUps: WakeUps<KeyedLimit<Flow<A, R>> | Waiter<A, R>>;
  readonly #renewer: LeaseRenewer;
  readonly #endings: Endings<A, R>;
  readonly #asker: Asker<A, R>;
  #arrivals = 0;

  constructor(engine: ReplaceableEngine<A, R>, rules: LineRules) {
    this.#engine = engine;
    this.#waiters = new WaiterList((waiter, reason) => this.#endings.end(waiter, reason), {
      recorder: engine.recorder,
      nowMs: () => this.#nowMs,
    });
    this.#renewer = leaseRenewerOf(engine.store);
    this.#wakeUps = new WakeUps(engine.store.clock, (items) => this.#due(items));
    const host = {
      ask: (waiter: Waiter<A, R>) => this.#asker.ask(waiter, false),
      endIfOver: (waiter: Waiter<A, R>) => this.#endIfOver(waiter),
    };
    this.#dispatcher = new Dispatcher(rules.order, host, {
      nowMs: () => this.#nowMs,
      wakeUps: this.#wakeUps,
      renewer: this.#renewer,
    });
    const places = { dispatcher: this.#dispatcher, waiters: this.#waiters, wakeUps: this.#wakeUps };
    this.#endings = new Endings(engine, places);
    this.#asker = new Asker(engine, rules, { ...places, renewer: this.#renewer, endings: this.#endings });
  }

  /** How many requests wait. */
  get length(): number {
    return this.#waiters.length;
  }

  /** How long the oldest of them has waited, in milliseconds; 0 if none waits. */
  get oldestMs(): number {
    return this.#waiters.oldestMs(this.#nowMs);
  }

  get #nowMs(): number {
    return this.#engine.store.clock.now();
  }

  /**
   * Returns the reservation of a request, or a promise of it: refused if its wait would be longer than its maximum, or
   * would never end; undefined if it is skipped.
   */
  enter(entry: Entry<A, R>): Eventual<R | undefined> {
    const { args, cost, signal, maxWaitMs } = entry;
    const ended = this.#endings.endOf(signal);
    if (ended) throw ended.reason;
    const startMs = this.#nowMs;
    const engine = this.#engine.current;
    // Nobody is overtaken if the line is empty. A store that answers later could not be asked by one after the other.
    if (this.#dispatcher.isEmpty && !this.#engine.store.async && (maxWaitMs === undefined || !engine.mayDelay)) {
      const { releases } = this.#renewer;
      return whenReady(engine.reserve(args, cost), (reservation) =>
        reservation?.allowed && reservation.delayMs === 0 && !this.#endings.endOf(signal)
          ? reservation
          : this.#stay(this.#newWaiter(entry, startMs), reservation, releases, engine),
      );
    }
    return whenReady(engine.checks(args, cost), (checks) =>
      this.#engine.current === engine ? this.#arrive(this.#newWaiter(entry, startMs), checks) : this.enter(entry),
    );
  }

  /** Lets all who wait go on under the limits that have replaced theirs, in the order in which they came. */
  policyReplaced(): void {
    const queued = [...this.#waiters].filter(({ state }) => state === 'queued');
    for (const waiter of queued) this.#dispatcher.dequeue(waiter);
    for (const waiter of queued) this.#asker.queueAnew(waiter);
    this.#dispatcher.serve();
  }

  /** Ends all waits with this reason. */
  endAll(reason: unknown): void {
    for (const waiter of this.#waiters) this.#endings.end(waiter, reason);
  }

  /** Ends all waits, and refuses all further requests, with this reason. */
  close(reason: unknown): void {
    this.#endings.close(reason);
    this.endAll(reason);
  }

  /**
   * Ends the wait of the one that has waited longest in the line, or in the flow if one is given. Returns false if all
   * of them are admitted, or ask.
   */
  endOldest(reason: unknown, flow?: Flow<A, R>): boolean {
    const waiter = flow ? flow.oldest : this.#waiters.oldestQueued;
    if (waiter) this.#endings.end(waiter, reason);
    return waiter !== undefined;
  }

  /** Refuses a waiter, because its place is for somebody else. If the store is being asked, it goes on if the store admits it. */
  giveWay(waiter: Waiter<A, R>): void {
    waiter.deadlineMs = this.#nowMs;
    if (waiter.state !== 'queued') return;
    this.#dispatcher.dequeue(waiter);
    this.#endings.refuseInLine(waiter);
    this.#dispatcher.serve();
  }

  #newWaiter(entry: Entry<A, R>, startMs: number): Waiter<A, R> {
    this.#arrivals += 1;
    return newWaiter(entry, this.#arrivals, startMs);
  }

  /** Lets a request wait that has asked while the line was empty. */
  #stay(
    waiter: Waiter<A, R>,
    reservation: R | undefined,
    releases: number,
    engine: Engine<A, R>,
  ): Eventual<R | undefined> {
    const isFreed = this.#renewer.releases !== releases;
    const answered = (checks: readonly LimitCheck[] | undefined): Eventual<R | undefined> => {
      if (!reservation || !checks) return undefined;
      waiter.checks = checks;
      this.#asker.answeredBy(engine, waiter, reservation, isFreed);
      return this.#waiters.resultOf(waiter);
    };
    // An admitted request needs no flow to wait in.
    return !reservation || reservation.allowed
      ? answered(waiter.checks)
      : whenReady(this.#engine.current.checks(waiter.args, waiter.cost), answered);
  }

  #arrive(waiter: Waiter<A, R>, checks: readonly LimitCheck[] | undefined): Eventual<R | undefined> {
    const ended = this.#endings.endOf(waiter.signal);
    if (ended) throw ended.reason;
    if (!checks) return this.#engine.current.notCounted('skip');
    waiter.checks = checks;
    // A request that can never fit has nothing to wait for.
    if (!checks.some(isHopeless)) this.#dispatcher.join(waiter);
    if (!waiter.flow || waiter.flow.isFreeFor(waiter)) this.#asker.ask(waiter, true);
    else this.#asker.queue(waiter, false);
    this.#dispatcher.serve();
    return this.#waiters.resultOf(waiter);
  }

  /** Limits come first: who gives up at the moment when there is room again is admitted. */
  #due(items: readonly (KeyedLimit<Flow<A, R>> | Waiter<A, R>)[]): void {
    for (const item of items) if (item instanceof KeyedLimit) this.#dispatcher.wake(item);
    for (const item of items) {
      if (item instanceof KeyedLimit) continue;
      if (item.state === 'delayed') this.#endings.resolve(item, item.reservation);
      else if (item.state === 'queued') this.#timeIsUp(item);
    }
    this.#dispatcher.serve();
  }

  #endIfOver(waiter: Waiter<A, R>): boolean {
    const { signal, deadlineMs } = waiter;
    if (signal?.aborted) this.#endings.end(waiter, signal.reason);
    else if ((waiter.flow as Flow<A, R>).closedUntilMs(waiter) > deadlineMs) {
      this.#dispatcher.dequeue(waiter);
      this.#endings.refuseInLine(waiter);
    } else return false;
    return true;
  }

  /** Asks a last time if there may be room, and if nobody is before it. */
  #timeIsUp(waiter: Waiter<A, R>): void {
    const flow = waiter.flow as Flow<A, R>;
    const mayFit = flow.head === waiter && flow.closedUntilMs(waiter) <= this.#nowMs;
    this.#dispatcher.dequeue(waiter);
    if (mayFit) this.#asker.ask(waiter, false);
    else this.#endings.refuseInLine(waiter);
  }
}
