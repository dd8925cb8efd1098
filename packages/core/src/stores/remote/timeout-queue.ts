import { type Alarm, alarmAfter, stopwatchMs } from '../../values/clock.js';

/**
 * Timers count whole milliseconds, so an alarm may ring by so much too early, and another would be so much too late.
 */
export const EARLY_MS = 1;

/** One who waits for an answer. */
export interface PendingCall {
  /** When this one is given up, at the earliest. */
  readonly untilMs: number;
  /** With an error, if it is for another reason than its time. */
  readonly giveUp: (error?: unknown) => void;
  isOver: boolean;
  next: PendingCall | undefined;
  passed: (() => void) | undefined;
}

/**
 * Gives up those who have waited for so long. All wait as long, so the first to come is the first to be given up, and
 * one alarm, for the first, does for all of them. What came in while the process was busy with something else is read
 * before anybody is given up.
 */
export class TimeoutQueue {
  readonly #afterMs: number;
  #alarm: Alarm | undefined;
  #first: PendingCall | undefined;
  #last: PendingCall | undefined;

  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  begin(giveUp: (error?: unknown) => void): PendingCall {
    const untilMs = stopwatchMs() + this.#afterMs - EARLY_MS;
    const waiting: PendingCall = { untilMs, giveUp, isOver: false, next: undefined, passed: undefined };
    if (this.#last) this.#last.next = waiting;
    else this.#begin(waiting);
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
  #begin(first: PendingCall): void {
    this.#first = first;
    if (this.#alarm) this.#alarm.ref();
    else this.#setAlarm(this.#afterMs);
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

  #setAlarm(ms: number): void {
    this.#alarm = alarmAfter(ms, (atMs) => this.#ring(atMs));
  }

  #ring(atMs: number): void {
    while (this.#first && this.#first.untilMs <= atMs) {
      const waiting = this.#first;
      this.end(waiting);
      waiting.giveUp();
    }
    this.#alarm = undefined;
    if (this.#first) this.#setAlarm(Math.max(1, Math.floor(this.#first.untilMs + EARLY_MS - stopwatchMs())));
  }
}
