import type { Clock } from '@sluice/core';

/** A clock that shows the time of the log. Nothing sleeps on it: a replay waits for nobody. */
export class LogClock implements Clock {
  nowMs = 0;

  now(): number {
    return this.nowMs;
  }

  sleep(): Promise<void> {
    return new Promise(() => {});
  }
}
