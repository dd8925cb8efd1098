import { LONGEST_TIMER_MS } from './duration.js';
import { optionError } from './error.js';
import { NODE } from './node.js';

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

/**
 * Reads the clock of `process.hrtime`, which is that of `performance.now`, and is faster. The function is looked up once: to find a
 * property of `process` takes as long as to read the clock. It does not read `performance` of Node.js: that loads `node:perf_hooks`, which takes as
 * long as the rest of the first decision.
 *
 * All of the core uses the global `process`, as `NODE`. An import of `node:process` reads all properties of it, of which Node makes some
 * only then, such as `stdout`: a tenth of the import of `@sluice/express`.
 */
function nowByHrtime(hrtime: NodeJS.HRTime): () => number {
  // The time of day at which that clock began. Found at the first use: while a module loads, some runtimes have no time.
  let beganMs: number | undefined;
  return () => {
    const time = hrtime();
    // The time of day comes in whole milliseconds, of which half has passed on average.
    beganMs ??= Date.now() + 0.5 - time[0] * 1e3 - time[1] * 1e-6;
    return Math.floor(beganMs + time[0] * 1e3 + time[1] * 1e-6);
  };
}

/** Reads the clock where there is no `process`. */
const nowByPerformance = (): number => Math.floor(performance.timeOrigin + performance.now());

const sleep: Clock['sleep'] = async (ms, signal, { unref = false } = {}) => {
  for (let restMs = ms; restMs > 0; restMs -= LONGEST_TIMER_MS) {
    await timer(Math.min(restMs, LONGEST_TIMER_MS), signal, unref);
  }
  signal?.throwIfAborted();
};

/**
 * The default clock of stores: the monotonic clock of the process, set to the time of day when it is first read. If
 * the time of the system is changed later, this clock does not jump.
 */
export const systemClock: Clock = Object.freeze({
  now: NODE?.hrtime ? nowByHrtime(NODE.hrtime) : nowByPerformance,
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
    if (unref) release(handle);
    const abort = () => {
      clearTimeout(handle);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Lets the process end before a timer. The timers of browsers are numbers. */
function release(timer: NodeJS.Timeout): void {
  timer.unref?.();
}

/** One sleep that is begun and ended again and again. */
export interface Sleeper {
  /** Sleeps from now on, in place of the sleep that may be under way. */
  begin(ms: number): void;
  /** Ends the sleep, if one is under way, without waking. Nothing keeps the process alive then. */
  end(): void;
}

/** A sleeper on a clock. `wake` is called at the end of each sleep. */
export function sleeperOn(clock: Clock, wake: () => void): Sleeper {
  return clock.sleep === sleep ? new TimerSleeper(wake) : new ClockSleeper(clock, wake);
}

/** Why a sleep ended early. Without a reason, an abort makes an error with its stack. */
const ENDED = 'the sleep is not needed any more';

/** Sleeps on any clock. */
class ClockSleeper implements Sleeper {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #sleep: AbortController | undefined;

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  begin(ms: number): void {
    this.end();
    const sleep = new AbortController();
    this.#sleep = sleep;
    this.#clock.sleep(ms, sleep.signal).then(
      () => {
        if (this.#sleep !== sleep) return;
        this.#sleep = undefined;
        this.#wake();
      },
      () => {},
    );
  }

  end(): void {
    this.#sleep?.abort(ENDED);
    this.#sleep = undefined;
  }
}

/**
 * Sleeps on the clocks of this file. A timer that is not needed any more is left, without keeping the process alive, and
 * serves the next sleep: a sleep that can be aborted takes some thirty microseconds.
 */
class TimerSleeper implements Sleeper {
  readonly #wake: () => void;
  #timer: NodeJS.Timeout | undefined;
  #firesAtMs = 0;
  /** When the sleep ends, by the stopwatch; undefined while none is under way. */
  #endsAtMs: number | undefined;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  begin(ms: number): void {
    const nowMs = stopwatchMs();
    this.#endsAtMs = nowMs + ms;
    if (this.#timer && this.#firesAtMs <= this.#endsAtMs) this.#timer.ref?.();
    else this.#start(nowMs, ms);
  }

  end(): void {
    this.#endsAtMs = undefined;
    if (this.#timer) release(this.#timer);
  }

  #start(nowMs: number, ms: number): void {
    clearTimeout(this.#timer);
    const delayMs = Math.min(ms, LONGEST_TIMER_MS);
    this.#firesAtMs = nowMs + delayMs;
    this.#timer = setTimeout(this.#fired, delayMs);
  }

  readonly #fired = (): void => {
    this.#timer = undefined;
    if (this.#endsAtMs === undefined) return;
    const restMs = this.#endsAtMs - this.#firesAtMs;
    if (restMs >= 1) {
      this.#start(this.#firesAtMs, restMs);
    } else {
      this.#endsAtMs = undefined;
      this.#wake();
    }
  };
}

/** Returns milliseconds, with fractions, since some moment in the past. Use it to measure how long something took. */
export function stopwatchMs(): number {
  return performance.now();
}

/**
 * Calls `work` every `everyMs` milliseconds until you call the returned function. The timer does not keep the process
 * alive.
 *
 * @param firstMs - after how long it is called first. Default: `everyMs`.
 */
export function inBackground(everyMs: number, work: () => void, firstMs = everyMs): () => void {
  let handle: NodeJS.Timeout;
  const repeat = (): void => {
    handle = setInterval(work, everyMs);
    release(handle);
  };
  if (firstMs === everyMs) {
    repeat();
  } else {
    handle = setTimeout(() => {
      repeat();
      work();
    }, firstMs);
    release(handle);
  }
  return () => clearInterval(handle);
}

/** Calls `work` once after `ms` milliseconds, unless you call the returned function before. The timer does not keep the process alive. */
export function onceInBackground(ms: number, work: () => void): () => void {
  const handle = setTimeout(work, ms);
  release(handle);
  return () => clearTimeout(handle);
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
    const handle = setTimeout(() => afterInput(() => reject(late())), ms);
    if (unref) release(handle);
    work.then(resolve, reject).finally(() => clearTimeout(handle));
  });
}

/** Calls `work` after data that has arrived was read. */
export function afterInput(work: () => void, { unref = false }: { readonly unref?: boolean } = {}): void {
  if (!NODE || typeof setImmediate !== 'function') {
    setTimeout(work, 0);
    return;
  }
  const handle = setImmediate(work);
  if (unref) handle.unref();
}

/** A timer that can run without keeping the process alive. Those of browsers keep nothing alive. */
export interface Alarm {
  ref?(): unknown;
  unref?(): unknown;
}

/** Calls `ring` with the time of ringing after `ms` milliseconds. Data that arrived by then is read first. */
export function alarmAfter(ms: number, ring: (atMs: number) => void): Alarm {
  return setTimeout(() => {
    const atMs = stopwatchMs();
    afterInput(() => ring(atMs));
  }, ms);
}
