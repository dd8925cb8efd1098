// Why it is so: core/docs/why/load-shedding.md

import { RequestCost } from './request-cost.js';

/** How long the ages of requests are watched for one decision, at least. */
const LEAST_INTERVAL_MS = 100;
/** How many targets such an interval is at least: in a shorter one, a server of slow handlers reads too few requests. */
const TARGETS_PER_INTERVAL = 2;

/** The least target, if none is set. */
const LEAST_TARGET_MS = 20;
/** The largest target that the cost of requests can make. */
const MOST_TARGET_MS = 1000;
/** How many mean costs of a request the target is at least. */
const COSTS_PER_TARGET = 4;
/** More makes no larger target. If a process is stopped within a turn, the whole pause would count, and keep the target large for minutes. */
const MOST_COST_MS = MOST_TARGET_MS / COSTS_PER_TARGET;

/**
 * An overload begins once every request has waited for so many targets, and then ages are brought back to the target. With one threshold
 * for both, a server just below its capacity refuses what it has the time to serve: its queue is long at times, and gets short by itself.
 */
const TARGETS_TO_BEGIN = 5;
/** Beyond this, answers become late meanwhile, so fewer targets are enough. */
const LATE_MS = 100;
const LEAST_TARGETS_TO_BEGIN = 2;

/** A request of the border class may have waited for so many targets. */
const BORDER_TARGETS = 2;
/** The same for the most important class: it is refused only if it is too much by itself, not after a pause of the process. */
const MOST_IMPORTANT_TARGETS = 8;
/** A request above the border may have waited so many times longer than at the border. */
const ABOVE_BORDER = 2;

/** The border moves up if less than this part of its class passed. */
const CROWDED = 0.01;
/** An interval in which the loop was idle for more than this part of it is no overload. */
const IDLE = 0.05;
/** After so many intervals in which nothing was refused, the overload is over. */
const QUIET_INTERVALS = 10;
/** After so many intervals in which the loop was idle, the overload is over. */
const IDLE_INTERVALS = 3;

/**
 * Refuses requests while the event loop cannot keep up, the least important first.
 *
 * Every request tells its age: the longest time that it can have waited for the loop. If all requests of an interval
 * were far older than the target, the loop does not only have a burst: there is a queue that stays, and the loop is overloaded.
 * Then one class is the border. Less important requests are refused, more important ones pass, and those of the border pass
 * while they are young. After each interval the border moves up if nearly all of its class was refused, and down if nothing
 * of it was. It moves up only for requests that came since it is there: those that had waited before are refused whatever the border is, and
 * a border that moves for them refuses what there is time for.
 *
 * The idle rule: while the loop has time to wait for events, it is not overloaded, however old the requests are. A process
 * that is stopped for a while (a processor quota, a busy neighbour) has old requests and time to serve them.
 *
 * The least delay of an interval is from CoDel (Nichols and Jacobson, 2012) as servers use it (folly's `Codel`: 100 ms
 * intervals, refused from two targets on); the border of priorities is from DAGOR (Zhou et al., SoCC 2018).
 */
export class Gate {
  #classes: number;
  readonly #fixedTargetMs: number | undefined;
  readonly #cost = new RequestCost();
  #targetMs: number;
  #intervalMs: number;
  #border: number | undefined;
  /** Since when the border is where it is, if it has moved up. What came before cannot show yet what it does. */
  #borderSinceMs = Number.NEGATIVE_INFINITY;
  /** The current interval. */
  #sinceMs: number;
  #idleSinceMs: number;
  #admitted = 0;
  #refused = 0;
  #refusedOfBorder = 0;
  /** Its requests that came since then. */
  #asked = 0;
  #leastAgeMs = Number.POSITIVE_INFINITY;
  #askedOfBorder = 0;
  #passedOfBorder = 0;
  /** Consecutive intervals of their kind. */
  #quiet = 0;
  #idle = 0;
  #onInterval: (border: number | undefined) => void = () => {};

  /**
   * @param classes - how many classes there are; class 0 is the most important one
   * @param targetMs - the age that is still good; undefined to follow the cost of requests
   */
  constructor(classes: number, targetMs: number | undefined, nowMs: number, idleMs: number) {
    this.#classes = classes;
    this.#fixedTargetMs = targetMs;
    this.#sinceMs = nowMs;
    this.#idleSinceMs = idleMs;
    this.#targetMs = targetMs ?? LEAST_TARGET_MS;
    this.#intervalMs = intervalOf(this.#targetMs);
  }

  /** The most important class of which requests are refused; undefined if the loop keeps up. */
  get border(): number | undefined {
    return this.#border;
  }

  /** The age that is still good. */
  get targetMs(): number {
    return this.#targetMs;
  }

  /** Calls the listener with the border at the end of each interval, so that a request does not pay for it. */
  onInterval(listener: (border: number | undefined) => void): void {
    this.#onInterval = listener;
  }

  /** Sets how many classes there are from now on. Further ones are of requests above the part of their tenant. */
  setClasses(classes: number): void {
    this.#classes = classes;
  }

  /** Returns whether a request of this class may pass. If it is admitted indeed, call `admitted`. */
  mayPass(rank: number, nowMs: number, ageMs: number, idleMs: number): boolean {
    this.advance(nowMs, idleMs);
    const border = this.#border;
    const passes = border === undefined || (rank <= border && ageMs <= targetsOf(rank, border) * this.#targetMs);
    if (!passes) this.#refuse(rank);
    if (nowMs - ageMs >= this.#borderSinceMs) this.#count(rank, ageMs, passes);
    return passes;
  }

  admitted(): void {
    this.#admitted += 1;
  }

  /** Ends the current interval if its time is over. */
  advance(nowMs: number, idleMs: number): void {
    if (nowMs - this.#sinceMs >= this.#intervalMs) this.#endInterval(nowMs, idleMs);
  }

  #refuse(rank: number): void {
    this.#refused += 1;
    if (rank === this.#border) this.#refusedOfBorder += 1;
  }

  #count(rank: number, ageMs: number, passes: boolean): void {
    this.#asked += 1;
    if (ageMs < this.#leastAgeMs) this.#leastAgeMs = ageMs;
    if (rank !== this.#border) return;
    this.#askedOfBorder += 1;
    if (passes) this.#passedOfBorder += 1;
  }

  #endInterval(nowMs: number, idleMs: number): void {
    const elapsedMs = nowMs - this.#sinceMs;
    const idledMs = idleMs - this.#idleSinceMs;
    // While most is refused, refusing is most of what the loop does, and says nothing of the cost of a request.
    if (this.#refused <= this.#admitted) {
      this.#cost.add(Math.min(elapsedMs - idledMs, MOST_COST_MS * this.#admitted), this.#admitted);
    }
    const isIdle = idledMs > IDLE * elapsedMs;
    this.#sinceMs = nowMs;
    this.#idleSinceMs = idleMs;
    if (this.#border === undefined) this.#enter(isIdle);
    // An idle loop had several intervals if no request has come for as long.
    else this.#move(this.#border, isIdle, isIdle ? Math.floor(elapsedMs / this.#intervalMs) : 1);
    this.#admitted = 0;
    this.#refused = 0;
    this.#refusedOfBorder = 0;
    this.#asked = 0;
    this.#leastAgeMs = Number.POSITIVE_INFINITY;
    this.#askedOfBorder = 0;
    this.#passedOfBorder = 0;
    if (this.#fixedTargetMs === undefined) this.#follow(this.#cost.meanMs);
    this.#onInterval(this.#border);
  }

  /** A request that waits for the work of a few others has not waited long. */
  #follow(costMs: number): void {
    this.#targetMs = Math.min(MOST_TARGET_MS, Math.max(LEAST_TARGET_MS, COSTS_PER_TARGET * costMs));
    this.#intervalMs = intervalOf(this.#targetMs);
  }

  #enter(isIdle: boolean): void {
    if (isIdle || this.#asked === 0 || this.#leastAgeMs <= beginningOf(this.#targetMs)) return;
    this.#setBorder(this.#classes - 1);
    this.#quiet = 0;
    this.#idle = 0;
  }

  #move(border: number, isIdle: boolean, intervals: number): void {
    const lowest = this.#classes - 1;
    const isQuiet = isIdle || (border === lowest && this.#refused === 0 && !this.#isLate(border));
    this.#quiet = isQuiet ? this.#quiet + intervals : 0;
    this.#idle = isIdle ? this.#idle + intervals : 0;
    if (this.#idle >= IDLE_INTERVALS || this.#quiet >= QUIET_INTERVALS) this.#setBorder(undefined);
    else if (isIdle) this.#setBorder(Math.min(lowest, border + 1));
    else if (this.#asked > 0) this.#setBorder(this.#borderAfter(border));
    // All have waited since before the border was there. If it refuses none of them, nothing gets shorter.
    else if (this.#refused === 0) this.#setBorder(Math.max(0, border - 1));
  }

  #borderAfter(border: number): number {
    if (this.#isCrowded(border)) return Math.max(0, border - 1);
    return this.#refusedOfBorder === 0 ? Math.min(this.#classes - 1, border + 1) : border;
  }

  #setBorder(border: number | undefined): void {
    const last = this.#border ?? this.#classes;
    if (border === last) return;
    this.#border = border;
    this.#borderSinceMs = border !== undefined && border < last ? this.#sinceMs : Number.NEGATIVE_INFINITY;
  }

  /** Whether nearly all of the border class was refused. If none of it came: whether it would have been. */
  #isCrowded(border: number): boolean {
    if (this.#askedOfBorder === 0) return this.#isLate(border);
    return this.#passedOfBorder < CROWDED * this.#askedOfBorder;
  }

  #isLate(border: number): boolean {
    return this.#asked > 0 && this.#leastAgeMs > targetsOf(border, border) * this.#targetMs;
  }
}

/** The age from which on an overload begins, if nothing younger comes. */
function beginningOf(targetMs: number): number {
  return Math.max(LEAST_TARGETS_TO_BEGIN * targetMs, Math.min(TARGETS_TO_BEGIN * targetMs, LATE_MS));
}

function intervalOf(targetMs: number): number {
  return Math.max(LEAST_INTERVAL_MS, TARGETS_PER_INTERVAL * targetMs);
}

/** For how many targets a request may have waited that is not below the border. */
function targetsOf(rank: number, border: number): number {
  const targets = rank === 0 ? MOST_IMPORTANT_TARGETS : BORDER_TARGETS;
  return rank < border ? ABOVE_BORDER * targets : targets;
}
