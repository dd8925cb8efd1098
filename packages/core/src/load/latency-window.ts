/** A window is over after this time, if it has enough samples. */
const SPAN_MS = 100;
const SAMPLES = 200;
/** A window of few samples is over after this time. */
const LONG_SPAN_MS = 2000;
const FEW_SAMPLES = 10;

/** A latency of nothing would make every ratio infinite. */
const LEAST_LATENCY_MS = 0.01;

/** The latencies of requests that began in a window, and how many were in flight. */
export class LatencyWindow {
  readonly #sinceMs: number;
  #samples = 0;
  #latencySumMs = 0;
  #inFlightSum = 0;

  constructor(sinceMs: number) {
    this.#sinceMs = sinceMs;
  }

  /** Adds a request that has ended. One that began before the window met other numbers in flight. */
  add(nowMs: number, startedMs: number, waitedMs: number, inFlight: number): void {
    if (startedMs < this.#sinceMs) return;
    this.#samples += 1;
    this.#latencySumMs += Math.max(LEAST_LATENCY_MS, nowMs - startedMs - waitedMs);
    this.#inFlightSum += inFlight;
  }

  isOver(nowMs: number): boolean {
    const forMs = nowMs - this.#sinceMs;
    return (forMs >= SPAN_MS && this.#samples >= SAMPLES) || (forMs >= LONG_SPAN_MS && this.#samples >= FEW_SAMPLES);
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
