import process from 'node:process';
import { optionError } from './error.js';

/** The time source of a store and of everything above it. Sluice uses no other. */
export interface Clock {
  /** Returns whole milliseconds since 1970. */
  now(): number;
  /**
   * Resolves after `ms` milliseconds. If `signal` aborts first, it rejects with `signal.reason`. With `unref`, the
   * sleep should not keep the process alive. A clock without timers of its own can ignore `unref`.
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly unref?: boolean }): Promise<void>;
}

/** Returns the given clock, or `systemClock` if there is none. */
export function clockOf(clock: Clock | undefined): Clock {
  if (clock === undefined) return systemClock;
  if (typeof clock?.now === 'function' && typeof clock.sleep === 'function') return clock;
  throw optionError('clock', 'must have now() and sleep(), like new ManualClock()', clock);
}

/** The longest delay that a timer of Node accepts. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * `process.hrtime` reads the same clock as `performance.now`, and is faster. It is looked up once: to find a property of
 * `process` takes as long as to read the clock.
 */
const { hrtime } = process;

const msOf = (time: readonly [seconds: number, nanoseconds: number]): number => time[0] * 1e3 + time[1] * 1e-6;

/** The time of day at which `process.hrtime` showed 0. */
const startedAtMs = performance.timeOrigin + performance.now() - msOf(hrtime());

const sleep: Clock['sleep'] = async (ms, signal, { unref = false } = {}) => {
  for (let restMs = ms; restMs > 0; restMs -= LONGEST_TIMER_MS) {
    await timer(Math.min(restMs, LONGEST_TIMER_MS), signal, unref);
  }
  signal?.throwIfAborted();
};

/**
 * The default clock of stores: the monotonic clock of the process, set to the time of day when the process starts. If
 * the time of the system is changed later, this clock does not jump.
 */
export const systemClock: Clock = Object.freeze({
  now: () => Math.floor(startedAtMs + msOf(hrtime())),
  sleep,
});

/**
 * The time of day, as `Date.now()` returns it. Use it in tests that fake `Date` and timers (`jest.useFakeTimers()`,
 * `vi.useFakeTimers()`): limits then follow the faked time. In production keep the default, `systemClock`, because this
 * clock jumps when the time of the system is changed.
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

/** Returns milliseconds, with fractions, since some moment in the past. Use it to measure how long something took. */
export function stopwatchMs(): number {
  return performance.now();
}

/**
 * Calls `work` every `everyMs` milliseconds until you call the returned function. The timer does not keep the process
 * alive.
 */
export function inBackground(everyMs: number, work: () => void): () => void {
  const handle = setInterval(work, everyMs);
  handle.unref();
  return () => clearInterval(handle);
}

/**
 * Resolves like `work`, or rejects with `late()` if `work` takes longer than `ms` milliseconds of real time. Use it for
 * networks: the clock of a test does not move their time. Data that arrived while the process was busy is read before
 * `work` counts as late.
 */
export function within<T>(
  ms: number,
  work: Promise<T>,
  late: () => Error,
  { unref = false }: { readonly unref?: boolean } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const handle = setTimeout(() => setImmediate(() => reject(late())), ms);
    if (unref) handle.unref();
    work.then(resolve, reject).finally(() => clearTimeout(handle));
  });
}

/** A timer that can run without keeping the process alive. */
export interface Alarm {
  ref(): unknown;
  unref(): unknown;
}

/** Calls `ring` with the time of ringing after `ms` milliseconds. Data that arrived by then is read first. */
export function alarmAfter(ms: number, ring: (atMs: number) => void): Alarm {
  return setTimeout(() => setImmediate(ring, stopwatchMs()), ms);
}
