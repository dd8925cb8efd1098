/** A window lasts as long as this, or as two of its shortest durations. */
const SPAN_MS = 1000;
const LEAST_SAMPLES = 10;
/** Durations below this measure the process, not what is behind. */
const LEAST_DURATION_MS = 0.1;

/**
 * Collects samples for machines that compare one mean with another: `WindowedLimit` of Netflix's concurrency-limits
 * (windows of 1 s and at least 10 samples, the mean duration, and the largest number in flight).
 */
export class SampleWindow {
  #sinceMs = Number.NEGATIVE_INFINITY;
  #spanMs = SPAN_MS;
  #samples = 0;
  #sumMs = 0;
  #leastMs = Number.POSITIVE_INFINITY;
  #mostInFlight = 0;

  /** Adds a sample, and calls `end` with the mean if the window is over. */
  add(nowMs: number, durationMs: number, inFlight: number, end: (meanMs: number, mostInFlight: number) => void): void {
    if (durationMs < LEAST_DURATION_MS) return;
    if (this.#sinceMs === Number.NEGATIVE_INFINITY) this.#sinceMs = nowMs;
    this.#samples += 1;
    this.#sumMs += durationMs;
    this.#leastMs = Math.min(this.#leastMs, durationMs);
    this.#mostInFlight = Math.max(this.#mostInFlight, inFlight);
    if (nowMs - this.#sinceMs < this.#spanMs || this.#samples < LEAST_SAMPLES) return;
    end(this.#sumMs / this.#samples, this.#mostInFlight);
    this.#sinceMs = nowMs;
    this.#spanMs = Math.max(SPAN_MS, 2 * this.#leastMs);
    this.#samples = 0;
    this.#sumMs = 0;
    this.#leastMs = Number.POSITIVE_INFINITY;
    this.#mostInFlight = 0;
  }
}
