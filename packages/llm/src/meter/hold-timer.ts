import type { Clock } from '@sluice/core';

/** A call that may be held too long. */
export interface HeldCall {
  /** When it has made no progress for the longest hold. */
  dueMs: number;
  /** Called once, when the call made no progress for the longest hold. */
  readonly abandon: () => void;
}

/**
 * Ends the calls that nobody ends, with one sleep for all of them. All may stand still equally long, and each goes to the end of the
 * line when it makes progress. So the first one is due first. The sleep does not keep the process alive.
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
    const hold: HeldCall = { dueMs: this.#clock.now() + this.#maxHoldMs, abandon };
    this.#holds.add(hold);
    if (!this.#isAsleep) this.#sleep(this.#maxHoldMs);
    return hold;
  }

  /** Notes that a call makes progress. It may be held for the longest hold from now on. */
  renew(hold: HeldCall): void {
    const dueMs = this.#clock.now() + this.#maxHoldMs;
    // Chunks come in bursts.
    if (dueMs === hold.dueMs) return;
    hold.dueMs = dueMs;
    if (this.#holds.delete(hold)) this.#holds.add(hold);
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
      // A clock that was set back must not hold a call any longer.
      const restMs = Math.min(hold.dueMs - nowMs, this.#maxHoldMs);
      if (restMs > 0) {
        this.#sleep(restMs);
        return;
      }
      this.#holds.delete(hold);
      hold.abandon();
    }
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
