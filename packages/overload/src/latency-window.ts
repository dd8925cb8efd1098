/** A window is over after this time, if it has enough samples. */
const SPAN_MS = 100;
/** A window of fewer samples is over after a longer time. */
const LONG_SPAN_MS = 700;
const FEWER_SAMPLES = 30;
const LONGEST_SPAN_MS = 2000;
const FEWEST_SAMPLES = 10;

/** A latency of nothing would make every ratio infinite. */
const LEAST_LATENCY_MS = 0.01;

interface LatencyWindowOptions {
  /** What ends in this time, after the window has begun, still met the numbers in flight of before. */
  readonly settleMs: number;
  /** How many samples are enough. */
  readonly samples: number;
}

/** The latencies of requests that end in a window, and how many were in flight. */
export class LatencyWindow {
  readonly #sinceMs: number;
  readonly #options: LatencyWindowOptions;
  #samples = 0;
  #latencySumMs = 0;
  #inFlightSum = 0;

  constructor(sinceMs: number, options: LatencyWindowOptions) {
    this.#sinceMs = sinceMs;
    this.#options = options;
  }

  /** Adds a request that has ended. */
  add(nowMs: number, startedMs: number, waitedMs: number, inFlight: number): void {
    const { settleMs } = this.#options;
    // Of those that began in the window the short ones end first. So whatever ends after a while counts.
    const isEarly = settleMs > 0 ? nowMs < this.#sinceMs + settleMs : startedMs < this.#sinceMs;
    if (isEarly) return;
    this.#samples += 1;
    this.#latencySumMs += Math.max(LEAST_LATENCY_MS, nowMs - startedMs - waitedMs);
    this.#inFlightSum += Math.max(1, inFlight);
  }

  isOver(nowMs: number): boolean {
    const { settleMs, samples } = this.#options;
    const forMs = nowMs - this.#sinceMs - settleMs;
    const enough = forMs < LONG_SPAN_MS ? samples : forMs < LONGEST_SPAN_MS ? FEWER_SAMPLES : FEWEST_SAMPLES;
    return forMs >= SPAN_MS && this.#samples >= Math.min(samples, enough);
  }

  /** The mean latency without the wait for the event loop. */
  get latencyMs(): number {
    return this.#latencySumMs / this.#samples;
  }

  /** The mean number of requests in flight. */
  get inFlight(): number {
    return this.#inFlightSum / this.#samples;
  }
}
