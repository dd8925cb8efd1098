import process from 'node:process';
import { optionError } from './error.js';

/** The time of a store and of everything above it. Sluice reads no other. */
export interface Clock {
  /** Milliseconds since 1970, whole. */
  now(): number;
  /**
   * Resolves `ms` later; rejects with `signal.reason` when that aborts first. With `unref` it should keep no process alive; a
   * clock that has no timers of its own can ignore that.
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly unref?: boolean }): Promise<void>;
}

/** A clock, or the system's where none is given. */
export function clockOf(clock: Clock | undefined): Clock {
  if (clock === undefined) return systemClock;
  if (typeof clock?.now === 'function' && typeof clock.sleep === 'function') return clock;
  throw optionError('clock', 'must have now() and sleep(), like new ManualClock()', clock);
}

/** The longest delay that a Node timer takes; longer ones fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** A time of `process.hrtime`, which shows the same clock as `performance.now` for less. */
const msOf = (time: readonly [seconds: number, nanoseconds: number]): number => time[0] * 1e3 + time[1] * 1e-6;

/** When that clock showed 0. */
const startedAtMs = performance.timeOrigin + performance.now() - msOf(process.hrtime());

const sleep: Clock['sleep'] = async (ms, signal, { unref = false } = {}) => {
  for (let restMs = ms; restMs > 0; restMs -= LONGEST_TIMER_MS) {
    await timer(Math.min(restMs, LONGEST_TIMER_MS), signal, unref);
  }
  signal?.throwIfAborted();
};

/**
 * The process's monotonic clock, anchored to the time of day at its start: no step of the system clock moves it. Stores use it
 * by default.
 */
export const systemClock: Clock = Object.freeze({
  now: () => Math.floor(startedAtMs + msOf(process.hrtime())),
  sleep,
});

/**
 * The time of day, as `Date.now()` tells it. Use it in tests that fake `Date` and timers (`jest.useFakeTimers()`,
 * `vi.useFakeTimers()`): limits then follow the faked time. In production prefer the default, `systemClock`, since a step of
 * the system's time moves this clock.
 *
 * @example const store = new MemoryStore({ clock: wallClock });
 */
export const wallClock: Clock = Object.freeze({ now: () => Math.floor(Date.now()), sleep });

function timer(ms: number, signal: AbortSignal | undefined, unref: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const wake = () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const handle = setTimeout(wake, ms);
    if (unref) handle.unref();
    const abort = () => {
      clearTimeout(handle);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Milliseconds, with fractions, since some moment in the past: for measuring how long a thing took. */
export function stopwatchMs(): number {
  return performance.now();
}

/** Runs `work` every `everyMs` until the returned function is called, without keeping the process alive. */
export function inBackground(everyMs: number, work: () => void): () => void {
  const handle = setInterval(work, everyMs);
  handle.unref();
  return () => clearInterval(handle);
}

/**
 * What `work` comes to, or a rejection with `late()` when it has not in `ms`. For networks, whose time no clock of a test
 * moves. What came in while the process was busy with something else is read before it is found to be late.
 */
export function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const handle = setTimeout(() => setImmediate(() => reject(late())), ms);
    work.then(resolve, reject).finally(() => clearTimeout(handle));
  });
}

/** A timer that can be left running without keeping the process alive. */
export interface Alarm {
  ref(): unknown;
  unref(): unknown;
}

/** Tells, after `ms`, when it rang, once what had come in by then was read. */
export function alarmAfter(ms: number, ring: (atMs: number) => void): Alarm {
  return setTimeout(() => setImmediate(ring, stopwatchMs()), ms);
}
