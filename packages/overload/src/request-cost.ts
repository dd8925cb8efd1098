/** What is kept of the sums after each interval. The mean is that of about the last two seconds. */
const KEPT = 0.95;

/** The mean time that the event loop works for an admitted request. */
export class RequestCost {
  #busyMs = 0;
  #requests = 0;

  /** Adds an interval. Sums are kept, not means, so an interval of few requests says little. */
  add(busyMs: number, requests: number): void {
    if (requests === 0) return;
    this.#busyMs = this.#busyMs * KEPT + busyMs;
    this.#requests = this.#requests * KEPT + requests;
  }

  /** Milliseconds; 0 before the first request. */
  get meanMs(): number {
    return this.#requests === 0 ? 0 : this.#busyMs / this.#requests;
  }
}
