import type { Clock } from '@sluice/core';

/** What a simulated server can do. */
export interface SimulatedServerOptions {
  readonly workers: number;
  /** How long a worker needs for a request. */
  readonly takesMs: number;
  /** How many requests it has at most, with those that wait for a worker. It refuses others at once. Default: any number. */
  readonly most?: number;
}

/** A server by a manual clock: requests wait for one of its workers, first come first served. */
export class SimulatedServer {
  workers: number;
  /** Whether every connection is refused. */
  isDown = false;
  served = 0;
  refused = 0;
  /** How many requests it has now. */
  inFlight = 0;
  readonly #clock: Clock;
  readonly #options: SimulatedServerOptions;
  /** When each worker is free. */
  #freeAtMs: number[] = [];

  constructor(clock: Clock, options: SimulatedServerOptions) {
    this.#clock = clock;
    this.#options = options;
    this.workers = options.workers;
  }

  readonly fetch: typeof fetch = async (_input, init) => {
    const { takesMs, most = Number.POSITIVE_INFINITY } = this.#options;
    if (this.isDown) throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
    if (this.inFlight >= most) {
      this.refused += 1;
      return new Response('too many', { status: 503 });
    }
    this.inFlight += 1;
    try {
      const nowMs = this.#clock.now();
      const busyMs = this.#freeAtMs.filter((ms) => ms > nowMs).sort((a, b) => a - b);
      const startMs = busyMs.length < this.workers ? nowMs : (busyMs.at(-this.workers) as number);
      this.#freeAtMs = [...busyMs, startMs + takesMs];
      await this.#clock.sleep(startMs + takesMs - nowMs, init?.signal ?? undefined);
      if (this.isDown) throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
      this.served += 1;
      return new Response('fine');
    } finally {
      this.inFlight -= 1;
    }
  };
}
