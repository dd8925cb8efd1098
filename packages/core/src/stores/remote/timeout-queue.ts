import { type Alarm, alarmAfter, stopwatchMs } from '../../values/clock.js';

/**
 * Timers count whole milliseconds, so an alarm may ring by so much too early, and another would be so much too late.
 */
export const EARLY_MS = 1;

/** The alarm rings so many times within the time of one call, so that a stall of the process is noticed. */
const RINGS = 4;

/** A process that is this late is not held up: other work of a turn takes as long. */
const USUAL_LATENESS_MS = 5;

/** One who waits for an answer. */
export interface PendingCall {
  /** When this one is given up, at the earliest. */
  readonly untilMs: number;
  /** With the number of a stall, if this process stood still for half of the call's time or longer. */
  readonly giveUp: (stall?: number) => void;
  /** For how long the process had stood still when the call began. */
  readonly stalledMs: number;
  isOver: boolean;
  next: PendingCall | undefined;
  passed: (() => void) | undefined;
}

/**
 * Gives up those who have waited for so long. All wait as long, so the first to come is the first to be given up, and
 * one alarm, for the first, does for all of them. What came in while the process was busy with something else is read
 * before anybody is given up.
 *
 * A process that stands still, since it computes or since the machine runs others, may send a question only when its time is
 * over. So the alarm rings several times within the time of a call. An alarm that is late shows a stall.
 */
export class TimeoutQueue {
  readonly #afterMs: number;
  readonly #ringMs: number;
  #alarm: Alarm | undefined;
  /** When the alarm has to ring. */
  #alarmMs = 0;
  #stalls = 0;
  #stalledMs = 0;
  #first: PendingCall | undefined;
  #last: PendingCall | undefined;

  constructor(afterMs: number) {
    this.#afterMs = afterMs;
    this.#ringMs = Math.max(afterMs / RINGS, USUAL_LATENESS_MS);
  }

  begin(giveUp: (stall?: number) => void): PendingCall {
    const nowMs = stopwatchMs();
    const untilMs = nowMs + this.#afterMs - EARLY_MS;
    const stalledMs = this.#stalledMs;
    const waiting: PendingCall = { untilMs, giveUp, stalledMs, isOver: false, next: undefined, passed: undefined };
    if (this.#last) this.#last.next = waiting;
    else this.#begin(waiting, nowMs);
    this.#last = waiting;
    return waiting;
  }

  /** False for one who was given up before. */
  end(waiting: PendingCall): boolean {
    if (waiting.isOver) return false;
    waiting.isOver = true;
    if (waiting === this.#first) this.#pass();
    return true;
  }

  /** Resolves when nobody waits any more of those who do now. */
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

  /** An alarm that is set already rings no later than it has to. */
  #begin(first: PendingCall, nowMs: number): void {
    this.#first = first;
    if (this.#alarm) this.#alarm.ref();
    else this.#setAlarm(this.#afterMs, nowMs);
  }

  /** Lets go of those who wait no more. While nobody does, the alarm keeps no process alive. */
  #pass(): void {
    while (this.#first?.isOver) {
      const { next, passed } = this.#first;
      // One that is gone, but not collected yet, would keep all who came after it.
      this.#first.next = undefined;
      this.#first = next;
      passed?.();
    }
    if (this.#first) return;
    this.#last = undefined;
    this.#alarm?.unref();
  }

  #setAlarm(leftMs: number, nowMs: number): void {
    const ms = Math.max(1, Math.floor(Math.min(leftMs, this.#ringMs)));
    this.#alarmMs = nowMs + ms;
    this.#alarm = alarmAfter(ms, (atMs) => this.#ring(atMs));
  }

  #ring(atMs: number): void {
    this.#noteStall(stopwatchMs() - this.#alarmMs);
    while (this.#first && this.#first.untilMs <= atMs) {
      const waiting = this.#first;
      this.end(waiting);
      waiting.giveUp(this.#stalledMs - waiting.stalledMs >= this.#afterMs / 2 ? this.#stalls : undefined);
    }
    this.#alarm = undefined;
    if (!this.#first) return;
    const nowMs = stopwatchMs();
    this.#setAlarm(this.#first.untilMs + EARLY_MS - nowMs, nowMs);
  }

  #noteStall(lateMs: number): void {
    if (lateMs < this.#ringMs) return;
    this.#stalls += 1;
    this.#stalledMs += lateMs;
  }
}
