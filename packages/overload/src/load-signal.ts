import type { LoadSignal } from '@sluice/core/src/limiter/policy/margin';
import { type Clock, clockOf } from '@sluice/core/src/values/clock';
import { type Duration, durationMs } from '@sluice/core/src/values/duration';
import { optionError } from '@sluice/core/src/values/error';
import { publish } from '@sluice/core/src/values/events';
import { isPromise } from '@sluice/core/src/values/eventual';
import { checkFunction, checkName, checkOptions } from '@sluice/core/src/values/option-checks';
import { warnOfFailure } from '@sluice/core/src/values/warning';

/** When a load signal changes, and how often the load is read. */
export interface LoadSignalOptions {
  /** The load is not calm as soon as one sample is at least this. */
  enter: number;
  /** The load is calm again when every sample during `atLeast` was at most this. It is at most `enter`. */
  leave: number;
  /** How often the load is read: 1 ms to 100 years. Default: 250 ms. */
  every?: Duration;
  /**
   * How long all samples have to stay at or below `leave`: 0 to 100 years. Default: 1 s. It prevents a change with
   * every sample.
   */
  atLeast?: Duration;
  /** The name of the signal in events: 1 to 128 printable ASCII characters. Default: `'load'`. */
  name?: string;
  /** The clock. Default: the monotonic clock of the system. */
  clock?: Clock;
}

/** A load signal that samples a reading in the background. */
export interface SampledLoadSignal extends LoadSignal {
  /** The last sample; NaN if the reading failed. */
  readonly value: number;
  /** Stops sampling. A closed signal is not calm. */
  close(): void;
}

/**
 * Makes a load signal from your own number. It reads the number at intervals, never per request, and decides with
 * hysteresis whether the load is calm. Prefer `loopDelay`, `loopUtilization`, `cpu` or `heap` if one of them measures
 * what you need. Sampling does not keep the process alive. Every change is published as the event `sluice:signal`.
 *
 * If a reading throws, or returns no number, the load is not calm, and there is one process warning,
 * `SLUICE_HOOK_FAILED`.
 *
 * @param read - returns the current load, as a number in any unit; it must be fast
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const calm = createLoadSignal(() => queue.length, { enter: 100, leave: 20 });
 * const limiter = createLimiter({ limit: 100, window: '1m', elastic: { upTo: 150, while: calm } });
 */
export function createLoadSignal(read: () => number, options: LoadSignalOptions): SampledLoadSignal {
  checkFunction(read, 'read');
  checkOptions(options, ['enter', 'leave', 'every', 'atLeast', 'name', 'clock']);
  const enter = checkNumber(options.enter, 'enter');
  const leave = checkNumber(options.leave, 'leave');
  if (leave > enter) throw optionError('leave', 'must be at most enter', leave);
  const everyMs = durationMs(options.every ?? 250, 'every');
  const atLeastMs = durationMs(options.atLeast ?? 1000, 'atLeast', 0);
  const name = checkName(options.name ?? 'load', 'name');
  return new Sampler(read, { name, enter, leave, everyMs, atLeastMs, clock: clockOf(options.clock) });
}

interface SamplerOptions {
  readonly name: string;
  readonly enter: number;
  readonly leave: number;
  readonly everyMs: number;
  readonly atLeastMs: number;
  readonly clock: Clock;
}

class Sampler implements SampledLoadSignal {
  readonly #read: () => number;
  readonly #options: SamplerOptions;
  readonly #closing = new AbortController();
  #value = Number.NaN;
  #isCalm = true;
  /** Since when all samples are at or below `leave`. */
  #lowSinceMs: number | undefined;
  #hasWarned = false;

  constructor(read: () => number, options: SamplerOptions) {
    this.#read = read;
    this.#options = options;
    this.#value = this.#sample();
    this.#isCalm = this.#value < options.enter;
    this.#run();
  }

  get isCalm(): boolean {
    return this.#isCalm;
  }

  get value(): number {
    return this.#value;
  }

  close(): void {
    this.#closing.abort();
    this.#isCalm = false;
  }

  async #run(): Promise<void> {
    const { clock, everyMs } = this.#options;
    const { signal } = this.#closing;
    try {
      for (;;) {
        await clock.sleep(everyMs, signal, { unref: true });
        // The sleep may have ended at the moment of the close.
        if (signal.aborted) return;
        this.#update();
      }
    } catch {
      // The signal is closed, or the clock cannot sleep. The load is unknown from now on.
      this.#isCalm = false;
    }
  }

  #update(): void {
    const { name, enter, leave, atLeastMs, clock } = this.#options;
    const value = this.#sample();
    const nowMs = clock.now();
    this.#value = value;
    if (value <= leave) this.#lowSinceMs ??= nowMs;
    else this.#lowSinceMs = undefined;
    const wasCalm = this.#isCalm;
    // NaN is never below `enter`.
    if (wasCalm) this.#isCalm = value < enter;
    else this.#isCalm = this.#lowSinceMs !== undefined && nowMs - this.#lowSinceMs >= atLeastMs;
    if (this.#isCalm !== wasCalm) publish('sluice:signal', { name, isCalm: this.#isCalm, value });
  }

  #sample(): number {
    try {
      const value: unknown = this.#read();
      if (typeof value === 'number' && !Number.isNaN(value)) return value;
      // The warning says that it is no number. Its own failure would end the process.
      if (isPromise(value)) Promise.resolve(value).catch(() => {});
      this.#warn(new TypeError('the reading of a load signal gave no number'));
    } catch (error) {
      this.#warn(error);
    }
    return Number.NaN;
  }

  #warn(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    warnOfFailure(`the load signal ${JSON.stringify(this.#options.name)}`, 'so the load counts as not calm', error);
  }
}

function checkNumber(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw optionError(path, 'must be a finite number', value);
}
