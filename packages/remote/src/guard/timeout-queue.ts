import { type Alarm, alarmAfter, stopwatchMs } from '@sluice/core/src/values/clock';

/**
 * Timers count whole milliseconds. An alarm may ring this much too early, and a second alarm would ring this much too
 * late.
 */
export const EARLY_MS = 1;

/** How often the alarm rings within the time of one call, to notice a stall of the process. */
const RINGS = 4;

/** A process with this much delay is not stalled: other work of a turn takes as long. */
const USUAL_LATENESS_MS = 5;

/** A call that waits for its response. The queue sets its numbers and its other fields. */
export interface PendingCall {
  /** When it began, as the stopwatch shows it. */
  beganMs: number;
  /** The earliest time at which it is given up. */
  untilMs: number;
  /** How long the process had stood still when the call began. */
  stalledMs: number;
  isOver: boolean;
  next: PendingCall | undefined;
  passed: (() => void) | undefined;
  /** Called with the number of a stall if this process stood still for at least half of the call's time. */
  timedOut(stall?: number): void;
}

/**
 * Gives up calls that have waited too long. All calls wait equally long, so the first call is given up first, and one
 * alarm is enough. Replies that arrived while the process was busy are read before a call is given up.
 *
 * If the process stands still, because it computes or the machine runs other programs, a call may be sent only when its
 * time is over. So the alarm rings several times within the time of a call. A late alarm shows a stall.
 */
export class TimeoutQueue {
  /** How long a call waits, in milliseconds. */
  readonly afterMs: number;
  readonly #ringMs: number;
  #alarm: Alarm | undefined;
  /** When the alarm has to ring. */
  #alarmMs = 0;
  #stalls = 0;
  #stalledMs = 0;
  #first: PendingCall | undefined;
  #last: PendingCall | undefined;

  constructor(afterMs: number) {
    this.afterMs = afterMs;
    this.#ringMs = Math.max(afterMs / RINGS, USUAL_LATENESS_MS);
  }

  /** Begins to wait for work. This function is called if it takes too long. */
  begin(timedOut: (stall?: number) => void): PendingCall {
    const waiting: PendingCall = {
      beganMs: Number.NaN,
      untilMs: Number.NaN,
      stalledMs: Number.NaN,
      isOver: false,
      next: undefined,
      passed: undefined,
      timedOut,
    };
    this.add(waiting);
    return waiting;
  }

  /** Begins to wait for a call. */
  add(waiting: PendingCall): void {
    const nowMs = stopwatchMs();
    waiting.beganMs = nowMs;
    waiting.untilMs = nowMs + this.afterMs - EARLY_MS;
    waiting.stalledMs = this.#stalledMs;
    if (this.#last) {
      this.#last.next = waiting;
    } else {
      this.#first = waiting;
      // An alarm that is already set does not ring later than necessary.
      if (this.#alarm) this.#alarm.ref?.();
      else this.#setAlarm(this.afterMs, nowMs);
    }
    this.#last = waiting;
  }

  /** Returns false if the call was given up before. */
  end(waiting: PendingCall): boolean {
    if (waiting.isOver) return false;
    waiting.isOver = true;
    if (waiting === this.#first) this.#pass();
    return true;
  }

  /** Resolves when none of the calls that wait now is waiting any more. */
  async ended(): Promise<void> {
    const last = this.#last;
    if (!last) return;
    const before = last.passed;
    await new Promise<void>((resolve) => {
      last.passed = () => {
        before?.();
        resolve();
      };
    });
  }

  /** Drops calls that do not wait any more. While none waits, the alarm does not keep the process alive. */
  #pass(): void {
    while (this.#first?.isOver) {
      const { next, passed } = this.#first;
      // Otherwise a dropped call that is not collected yet would keep all later ones.
      this.#first.next = undefined;
      this.#first = next;
      passed?.();
    }
    if (this.#first) return;
    this.#last = undefined;
    this.#alarm?.unref?.();
  }

  #setAlarm(leftMs: number, nowMs: number): void {
    const ms = Math.max(1, Math.floor(Math.min(leftMs, this.#ringMs)));
    this.#alarmMs = nowMs + ms;
    this.#alarm = alarmAfter(ms, this.#ring);
  }

  readonly #ring = (atMs: number): void => {
    this.#noteStall(stopwatchMs() - this.#alarmMs);
    while (this.#first && this.#first.untilMs <= atMs) {
      const waiting = this.#first;
      this.end(waiting);
      waiting.timedOut(this.#stalledMs - waiting.stalledMs >= this.afterMs / 2 ? this.#stalls : undefined);
    }
    this.#alarm = undefined;
    if (!this.#first) return;
    const nowMs = stopwatchMs();
    this.#setAlarm(this.#first.untilMs + EARLY_MS - nowMs, nowMs);
  };

  #noteStall(lateMs: number): void {
    if (lateMs < this.#ringMs) return;
    this.#stalls += 1;
    this.#stalledMs += lateMs;
  }
}
