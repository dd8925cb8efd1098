// Why it is so: docs/why/waiting.md

import type { LimitCheck } from '../../stores/store.js';
import { type Eventual, whenReady, whenSettled } from '../../values/eventual.js';
import { delaysRetry } from '../decision-builder.js';
import type { Engine } from '../engine.js';
import type { LeaseRenewer } from '../life/lease-renewer.js';
import type { Args } from '../policy/options.js';
import type { ReplaceableEngine } from '../replaceable-engine.js';
import type { GrantedReservation } from '../reservation.js';
import type { Dispatcher } from './dispatcher.js';
import type { Endings } from './endings.js';
import type { Flow, Waiter } from './flow.js';
import { certainRetryMs, tooLate, UNKNOWN_WAIT_MS } from './refusals.js';
import type { WaiterList } from './waiter-list.js';

/** What a waiter may wait for, apart from room. */
export interface WaitRules {
  /** Whether a request waits in the line for its turn in a leaky bucket, too. */
  readonly sleepsDelays: boolean;
  /** Whether it waits until a failed store works again, if the policy refuses all requests until then. */
  readonly waitsForStore: boolean;
}

/** The parts of the line that an answer changes. */
interface LineParts<A extends Args, R extends GrantedReservation> {
  readonly dispatcher: Dispatcher<A, R>;
  readonly waiters: WaiterList<A, R>;
  readonly wakeUps: { set(waiter: Waiter<A, R>, atMs: number): void };
  readonly renewer: LeaseRenewer;
  readonly endings: Endings<A, R>;
}

/** Asks the store for those who wait in a line, and does what its answers say: a waiter is admitted, goes on waiting, or is refused. */
export class Asker<A extends Args, R extends GrantedReservation> {
  readonly #engine: ReplaceableEngine<A, R>;
  readonly #rules: WaitRules;
  readonly #dispatcher: Dispatcher<A, R>;
  readonly #waiters: WaiterList<A, R>;
  readonly #wakeUps: LineParts<A, R>['wakeUps'];
  readonly #renewer: LeaseRenewer;
  readonly #endings: Endings<A, R>;

  constructor(engine: ReplaceableEngine<A, R>, rules: WaitRules, parts: LineParts<A, R>) {
    this.#engine = engine;
    this.#rules = rules;
    this.#dispatcher = parts.dispatcher;
    this.#waiters = parts.waiters;
    this.#wakeUps = parts.wakeUps;
    this.#renewer = parts.renewer;
    this.#endings = parts.endings;
  }

  ask(waiter: Waiter<A, R>, isFresh: boolean): void {
    const engine = this.#engine.current;
    const { releases } = this.#renewer;
    const hasAnswer = this.#dispatcher.asking(waiter);
    whenSettled(
      () => reserveInTime(engine, waiter, this.#leftMs(waiter), isFresh),
      (reservation) => {
        hasAnswer();
        this.answeredBy(engine, waiter, reservation, this.#renewer.releases !== releases);
      },
      (error) => {
        hasAnswer();
        this.#endings.reject(waiter, error);
        this.#dispatcher.serve();
      },
    );
  }

  /** A refusal of a policy that was replaced meanwhile says nothing about the limits that hold now. A waiter whose time is over asks no more. */
  answeredBy(engine: Engine<A, R>, waiter: Waiter<A, R>, reservation: R | undefined, isFreed: boolean): void {
    const isOutdated = engine !== this.#engine.current && reservation?.allowed === false;
    if (!isOutdated || waiter.ended) this.#answered(waiter, reservation, isFreed);
    else if (this.#leftMs(waiter) > 0) this.queueAnew(waiter);
    else this.#endings.resolve(waiter, reservation);
    this.#dispatcher.serve();
  }

  #answered(waiter: Waiter<A, R>, reservation: R | undefined, isFreed: boolean): void {
    const ended = waiter.ended ?? this.#endings.endOf(waiter.signal);
    if (ended) {
      this.#endings.cancel(waiter, reservation, () => this.#endings.reject(waiter, ended.reason));
      return;
    }
    if (!reservation) {
      this.#endings.resolve(waiter, undefined);
      return;
    }
    // A function of the policy may have chosen another key or limit since it came.
    if (waiter.flow || !reservation.allowed) this.#dispatcher.join(waiter);
    if (reservation.allowed) this.#admitted(waiter, reservation, isFreed);
    else this.#refused(waiter, reservation, isFreed);
  }

  #admitted(waiter: Waiter<A, R>, reservation: R, isFreed: boolean): void {
    const { store } = this.#engine;
    const isExact = reservation.source === 'store' && store.supports.exact !== false;
    this.#dispatcher.note(waiter, reservation.verdicts, (limit, verdict, { margin = 0 }, nowMs) =>
      // A positive margin is not stated, so there may be more room than the verdict says.
      limit.granted(verdict, nowMs, isExact && margin <= 0, isFreed),
    );
    this.#dispatcher.leave(waiter);
    const leftMs = this.#leftMs(waiter);
    const { delayMs } = reservation;
    if (delayMs > leftMs) {
      this.#endings.cancel(waiter, reservation, () =>
        this.#endings.resolve(waiter, this.#engine.current.empty(tooLate(reservation, leftMs))),
      );
    } else if (delayMs > 0 && this.#rules.sleepsDelays) {
      waiter.state = 'delayed';
      waiter.reservation = reservation;
      this.#waiters.add(waiter);
      this.#wakeUps.set(waiter, this.#nowMs + delayMs);
    } else this.#endings.resolve(waiter, reservation);
  }

  #refused(waiter: Waiter<A, R>, reservation: R, isFreed: boolean): void {
    const retryMs = certainRetryMs(reservation);
    const leftMs = this.#leftMs(waiter);
    const isOver =
      !waiter.flow ||
      retryMs === 'never' ||
      retryMs > leftMs ||
      leftMs === 0 ||
      (reservation.source === 'deny' && !this.#rules.waitsForStore);
    const isOfStore = reservation.source === 'store';
    this.#dispatcher.note(waiter, reservation.verdicts, (limit, verdict, _check, nowMs) =>
      delaysRetry(verdict) ? limit.refused(verdict, nowMs, isOfStore, isFreed) : 0,
    );
    if (isOver) this.#endings.resolve(waiter, reservation);
    else this.queue(waiter, true);
  }

  /** Makes the checks of a waiter anew, which is in no queue, and puts it back where its place is now. */
  queueAnew(waiter: Waiter<A, R>): void {
    const engine = this.#engine.current;
    waiter.state = 'asking';
    whenSettled(
      () => engine.checks(waiter.args, waiter.cost),
      (checks) => {
        const ended = waiter.ended ?? this.#endings.endOf(waiter.signal);
        if (ended) this.#endings.reject(waiter, ended.reason);
        else if (engine !== this.#engine.current) this.queueAnew(waiter);
        else if (!checks) this.#endings.resolve(waiter, engine.notCounted('skip'));
        else this.#queueWith(waiter, checks);
        this.#dispatcher.serve();
      },
      (error) => this.#endings.reject(waiter, error),
    );
  }

  #queueWith(waiter: Waiter<A, R>, checks: readonly LimitCheck[]): void {
    waiter.checks = checks;
    this.#dispatcher.join(waiter);
    if (waiter.flow && !checks.some(isHopeless)) this.queue(waiter, true);
    else this.ask(waiter, true);
  }

  /** @param hasAsked - whether it goes back to where it was before it asked */
  queue(waiter: Waiter<A, R>, hasAsked: boolean): void {
    const flow = waiter.flow as Flow<A, R>;
    if (flow.closedUntilMs(waiter) > waiter.deadlineMs) {
      this.#endings.refuseInLine(waiter);
      return;
    }
    if (!waiter.isListed) {
      if (!this.#mayWait(waiter, flow)) return;
      this.#waiters.add(waiter);
      flow.listed += 1;
      if (waiter.deadlineMs < Number.POSITIVE_INFINITY) this.#wakeUps.set(waiter, waiter.deadlineMs);
    }
    this.#dispatcher.queue(waiter, hasAsked);
  }

  /** Returns false if a waiter must not wait. It has its result then. */
  #mayWait(waiter: Waiter<A, R>, flow: Flow<A, R>): boolean {
    if (!waiter.mayWait) return true;
    try {
      const signal = waiter.mayWait(flow.leastWaitMs(this.#nowMs) ?? UNKNOWN_WAIT_MS, flow, waiter);
      if (signal === false) {
        this.#endings.refuseInLine(waiter);
        return false;
      }
      if (signal) waiter.signal = signal;
      if (waiter.signal?.aborted) throw waiter.signal.reason;
      return true;
    } catch (error) {
      this.#endings.reject(waiter, error);
      return false;
    }
  }

  #leftMs({ deadlineMs }: Waiter<A, R>): number {
    return Math.max(0, deadlineMs - this.#nowMs);
  }

  get #nowMs(): number {
    return this.#engine.store.clock.now();
  }
}

/**
 * Reserves for a waiter, if its turn would come in time. A leaky bucket gives nothing back, so the request peeks first.
 * With a synchronous store nothing happens between the two steps. With another store, other requests may come between.
 * Undefined if it is skipped now.
 *
 * @param isFresh - whether its checks were just made. Otherwise they are made anew, because tiers, load and calendar
 * intervals change
 */
function reserveInTime<A extends Args, R extends GrantedReservation>(
  engine: Engine<A, R>,
  waiter: Waiter<A, R>,
  leftMs: number,
  isFresh: boolean,
): Eventual<R | undefined> {
  const reserve = (checks: readonly LimitCheck[] | undefined): Eventual<R | undefined> => {
    if (!checks) return engine.notCounted('skip');
    waiter.checks = checks;
    const granted = (): Eventual<R> => engine.reserveChecks(checks);
    if (leftMs === Number.POSITIVE_INFINITY || !engine.mayDelay) return granted();
    return whenReady(engine.peekChecks(checks), (peeked) =>
      peeked.allowed && peeked.delayMs > leftMs ? engine.empty(peeked) : granted(),
    );
  };
  return isFresh ? reserve(waiter.checks) : whenReady(engine.checks(waiter.args, waiter.cost), reserve);
}

/** Whether no wait helps: more is asked for than the limit ever has. */
export function isHopeless({ limit, cost, shadow }: LimitCheck): boolean {
  return !shadow && cost > limit.quota;
}
