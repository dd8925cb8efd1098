import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ShedLoadHandler } from '@sluice/express';
import express from 'express';

/** What the server can do. */
export interface WorkerServerOptions {
  readonly workers: number;
  /** How long a worker needs for a request: on average, if it is random. */
  readonly takesMs: number;
  /** Returns numbers from 0 to below 1. Then times are exponential. */
  readonly random?: () => number;
  /** It refuses requests at once while it has so many, with those that wait for a worker. Default: it never refuses. */
  readonly most?: number;
  /** What comes before its handler. */
  readonly before?: ShedLoadHandler;
}

/** A real server: requests wait for one of its workers, first come first served. */
export class WorkerServer {
  served = 0;
  refused = 0;
  readonly #options: WorkerServerOptions;
  readonly #queue: (() => void)[] = [];
  #busy = 0;
  #server: Server | undefined;
  #port = 0;
  /** The time with so many requests at the handler, summed up. */
  #requestMs = 0;
  #countedMs = performance.now();
  #beganMs = performance.now();

  constructor(options: WorkerServerOptions) {
    this.#options = options;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The mean number of requests at the handler since the last call. */
  takeMeanInFlight(): number {
    this.#count();
    const mean = this.#requestMs / (this.#countedMs - this.#beganMs);
    [this.#requestMs, this.#beganMs] = [0, this.#countedMs];
    return mean;
  }

  /** Begins to listen, on the same port as before. */
  async open(): Promise<this> {
    const app = express();
    app.use((_req, res, next) => {
      res.once('finish', () => {
        if (res.statusCode === 503) this.refused += 1;
        else this.served += 1;
      });
      next();
    });
    if (this.#options.before) app.use(this.#options.before);
    app.use((_req, res) =>
      this.#handle(
        () => res.send('fine'),
        () => res.status(503).end(),
      ),
    );
    this.#server = createServer(app as RequestListener).listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Breaks all connections, and refuses further ones. */
  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  #handle(done: () => void, refuse: () => void): void {
    const { workers, takesMs, random, most = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#inFlight >= most) {
      refuse();
      return;
    }
    this.#count();
    const work = (): void => {
      this.#busy += 1;
      setTimeout(
        () => {
          this.#count();
          this.#busy -= 1;
          this.#queue.shift()?.();
          done();
        },
        takesMs * (random ? -Math.log(1 - random()) : 1),
      );
    };
    if (this.#busy < workers) work();
    else this.#queue.push(work);
  }

  get #inFlight(): number {
    return this.#busy + this.#queue.length;
  }

  #count(): void {
    const nowMs = performance.now();
    this.#requestMs += this.#inFlight * (nowMs - this.#countedMs);
    this.#countedMs = nowMs;
  }
}
