import type { Clock } from '@sluice/core';

/** A call that may be held too long. */
export interface HeldCall {
  /** When it was held long enough, unless it made progress. */
  dueMs: number;
  /** Set it when the call makes progress. */
  hasMoved: boolean;
  /** Called once, when the call made no progress for the longest hold. */
  readonly abandon: () => void;
}

/**
 * Ends the calls that nobody ends, with one sleep for all of them. All are held equally long, so that they are due in
 * the order in which they came. The sleep does not keep the process alive.
 */
export class HoldTimer {
  readonly #clock: Clock;
  readonly #maxHoldMs: number;
  readonly #holds = new Set<HeldCall>();
  #isAsleep = false;

  constructor(clock: Clock, maxHoldMs: number) {
    this.#clock = clock;
    this.#maxHoldMs = maxHoldMs;
  }

  /** Holds a call until it is removed. */
  add(abandon: () => void): HeldCall {
    const hold: HeldCall = { dueMs: this.#clock.now() + this.#maxHoldMs, hasMoved: false, abandon };
    this.#holds.add(hold);
    if (!this.#isAsleep) this.#sleep(this.#maxHoldMs);
    return hold;
  }

  remove(hold: HeldCall): void {
    this.#holds.delete(hold);
  }

  #sleep(ms: number): void {
    this.#isAsleep = true;
    const wake = (): void => {
      this.#isAsleep = false;
      this.#endDue();
    };
    this.#clock.sleep(ms, undefined, { unref: true }).then(wake, wake);
  }

  #endDue(): void {
    const nowMs = this.#clock.now();
    for (const hold of this.#holds) {
      const restMs = Math.min(hold.dueMs - nowMs, this.#maxHoldMs);
      if (restMs > 0) {
        this.#sleep(restMs);
        return;
      }
      this.#holds.delete(hold);
      if (hold.hasMoved) this.#renew(hold, nowMs);
      else hold.abandon();
    }
  }

  #renew(hold: HeldCall, nowMs: number): void {
    hold.hasMoved = false;
    hold.dueMs = nowMs + this.#maxHoldMs;
    this.#holds.add(hold);
  }
}

const timers = new WeakMap<Clock, Map<number, HoldTimer>>();

/** Returns the timer for calls that are held so long on a clock. */
export function holdTimerOf(clock: Clock, maxHoldMs: number): HoldTimer {
  const ofClock = timers.get(clock) ?? new Map<number, HoldTimer>();
  timers.set(clock, ofClock);
  const timer = ofClock.get(maxHoldMs) ?? new HoldTimer(clock, maxHoldMs);
  ofClock.set(maxHoldMs, timer);
  return timer;
}
