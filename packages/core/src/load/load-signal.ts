import { type Clock, clockOf } from '../values/clock.js';
import { type Duration, durationMs } from '../values/duration.js';
import { optionError } from '../values/error.js';
import { publish } from '../values/events.js';
import { checkFunction, checkName, checkOptions } from '../values/option-checks.js';
import { warnOfFailure } from '../values/warning.js';

/** Whether there is room for more: what an elastic limit reads with each request, so reading it must cost nothing. */
export interface LoadSignal {
  /** Whether the load is low enough to admit more than the limit. */
  readonly isCalm: boolean;
}

/** When a load signal changes, and how often it is read. */
export interface LoadSignalOptions {
  /** The load is no longer calm as soon as one sample is at least this. */
  enter: number;
  /** The load is calm again once every sample of `atLeast` was at most this. At most `enter`. */
  leave: number;
  /** How often the load is read: 1 ms to 100 years; default 250 ms. */
  every?: Duration;
  /** How long the samples have to stay at or below `leave`: 0 to 100 years; default 1 s. It keeps a signal from changing with every sample. */
  atLeast?: Duration;
  /** Names the signal in events: 1 to 128 printable ASCII characters; default `'load'`. */
  name?: string;
  /** Default: the system's monotonic clock. */
  clock?: Clock;
}

/** A load signal that samples a reading in the background. */
export interface SampledLoadSignal extends LoadSignal {
  /** The last sample; NaN when the reading failed. */
  readonly value: number;
  /** Stops sampling. A signal that was closed is not calm. */
  close(): void;
}

/**
 * A load signal of your own: it reads a number every so often, never per request, and tells with hysteresis whether the load is
 * calm. Prefer `loopDelay`, `loopUtilization`, `cpu` or `heap` where one of them measures what you need. Sampling keeps no
 * process alive. Every change is published as the event `sluice:signal`.
 *
 * A reading that throws, or gives no number, counts as not calm, with one process warning, `SLUICE_HOOK_FAILED`.
 *
 * @param read - returns the load now, as a number in any unit; it must not be slow
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
        this.#update();
      }
    } catch {
      // Closed; or the clock cannot sleep, and so nothing is known of the load from now on.
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
    // NaN is below nothing.
    if (wasCalm) this.#isCalm = value < enter;
    else this.#isCalm = this.#lowSinceMs !== undefined && nowMs - this.#lowSinceMs >= atLeastMs;
    if (this.#isCalm !== wasCalm) publish('sluice:signal', { name, isCalm: this.#isCalm, value });
  }

  #sample(): number {
    try {
      const value = this.#read();
      if (typeof value === 'number' && !Number.isNaN(value)) return value;
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
