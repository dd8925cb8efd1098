import type { Clock } from '@sluice/core';

/** What a simulated server can do. */
export interface SimulatedServerOptions {
  readonly workers: number;
  /** How long a worker needs for a request: on average, if it is random. */
  readonly takesMs: number;
  /** Returns numbers from 0 to below 1. Then times are exponential. */
  readonly random?: () => number;
  /** How many requests it has at most, with those that wait for a worker. It refuses others at once. Default: any number. */
  readonly most?: number;
}

/** A server by a manual clock: requests wait for one of its workers, first come first served. */
export class SimulatedServer {
  served = 0;
  refused = 0;
  readonly #clock: Clock;
  readonly #options: SimulatedServerOptions;
  /** When each worker is free. */
  readonly #freeAtMs: number[];
  #isDown = false;
  #inFlight = 0;
  /** The time with so many requests, summed up. */
  #requestMs = 0;
  #countedMs: number;
  #beganMs: number;

  constructor(clock: Clock, options: SimulatedServerOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#freeAtMs = Array.from({ length: options.workers }, () => clock.now());
    [this.#countedMs, this.#beganMs] = [clock.now(), clock.now()];
  }

  readonly fetch: typeof fetch = async () => {
    const { takesMs, random, most = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#isDown) throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
    if (this.#inFlight >= most) {
      this.refused += 1;
      return new Response(null, { status: 503 });
    }
    this.#changeInFlight(1);
    const nowMs = this.#clock.now();
    const worker = this.#freeAtMs.indexOf(Math.min(...this.#freeAtMs));
    const workMs = Math.ceil(takesMs * (random ? -Math.log(1 - random()) : 1));
    const endMs = Math.max(nowMs, this.#freeAtMs[worker] as number) + workMs;
    this.#freeAtMs[worker] = endMs;
    await this.#clock.sleep(endMs - nowMs);
    this.#changeInFlight(-1);
    if (this.#isDown) throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
    this.served += 1;
    return new Response(null);
  };

  /** Breaks all connections, and refuses further ones. */
  goDown(): void {
    this.#isDown = true;
  }

  comeBack(): void {
    this.#isDown = false;
  }

  /** The mean number of requests that it had since the last call. */
  takeMeanInFlight(): number {
    this.#changeInFlight(0);
    const mean = this.#requestMs / (this.#countedMs - this.#beganMs);
    [this.#requestMs, this.#beganMs] = [0, this.#countedMs];
    return mean;
  }

  #changeInFlight(by: number): void {
    const nowMs = this.#clock.now();
    this.#requestMs += this.#inFlight * (nowMs - this.#countedMs);
    this.#countedMs = nowMs;
    this.#inFlight += by;
  }
}
