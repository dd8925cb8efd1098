import type { Clock } from '../values/clock.js';
import { type Duration, durationMs } from '../values/duration.js';

interface Sleeper {
  readonly wakesAtMs: number;
  readonly wake: () => void;
}

/**
 * A clock that moves only when you tell it to. Give it to the store: everything above the store sleeps on it as well,
 * so a test of an hour takes a millisecond.
 *
 * @example
 * const clock = new ManualClock();
 * const limiter = createLimiter({ limit: 1, window: '1h', store: new MemoryStore({ clock }) });
 * limiter.consume('ann').allowed; // true
 * limiter.consume('ann').allowed; // false
 * clock.advance('2h');
 * limiter.consume('ann').allowed; // true
 */
export class ManualClock implements Clock {
  #nowMs: number;
  #sleepers: Sleeper[] = [];
  #watchers: { readonly count: number; readonly resolve: () => void }[] = [];

  /** @param startMs - whole milliseconds since 1970. Default: the start of 2026 in UTC. */
  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (ms <= 0) return resolve();
      const leave = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const sleeper: Sleeper = { wakesAtMs: this.#nowMs + ms, wake };
      signal?.addEventListener('abort', leave, { once: true });
      this.#sleepers.push(sleeper);
      this.#notifyWatchers();
    });
  }

  /**
   * Moves time forward, and wakes sleepers that are due, in order. Their next steps run when the caller awaits
   * something.
   *
   * @throws SluiceError `SLUICE_OPTION` if `by` is no duration of at least 0
   */
  advance(by: Duration): void {
    this.set(this.#nowMs + durationMs(by, 'by', 0));
  }

  /** Sets the time in milliseconds since 1970. It may go back, as a wrong clock does. */
  set(nowMs: number): void {
    this.#nowMs = nowMs;
    const due = this.#sleepers.filter(({ wakesAtMs }) => wakesAtMs <= nowMs).sort((a, b) => a.wakesAtMs - b.wakesAtMs);
    this.#sleepers = this.#sleepers.filter((sleeper) => !due.includes(sleeper));
    for (const { wake } of due) wake();
  }

  /** Resolves when at least this many sleepers wait. Then it is time to advance. */
  untilSleeping(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.push({ count, resolve });
      this.#notifyWatchers();
    });
  }

  #notifyWatchers(): void {
    const isMet = ({ count }: { count: number }): boolean => this.#sleepers.length >= count;
    for (const { resolve } of this.#watchers.filter(isMet)) resolve();
    this.#watchers = this.#watchers.filter((watcher) => !isMet(watcher));
  }
}
