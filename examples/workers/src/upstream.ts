import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request that the upstream got. */
export interface Arrival {
  /** When it arrived, in milliseconds since 1970. */
  readonly atMs: number;
  /** When the limiter of the workers had admitted it. */
  readonly admittedAtMs: number;
  readonly status: 200 | 429;
}

export interface UpstreamOptions {
  /** The `Retry-After` of a 429, in seconds. */
  readonly retryAfterS: number;
  /** Whether the upstream answers its nth request with 429, because it is overloaded. */
  readonly isOverloaded: (nth: number) => boolean;
}

/** A stand-in for the API of a partner. It records every request, and answers some with 429. */
export class FakeUpstream {
  readonly record: Arrival[] = [];
  readonly server: Server;
  readonly #options: UpstreamOptions;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.server = createServer(async (request, response) => {
      if (request.method === 'GET') return void response.end(JSON.stringify(this.record));
      const admittedAtMs = Number(request.headers['x-admitted-at']);
      const status = this.#decide(admittedAtMs);
      await text(request);
      if (status === 429) response.setHeader('Retry-After', this.#options.retryAfterS);
      response.writeHead(status).end();
    });
  }

  #decide(admittedAtMs: number): Arrival['status'] {
    const status = this.#options.isOverloaded(this.record.length + 1) ? 429 : 200;
    this.record.push({ atMs: Date.now(), admittedAtMs, status });
    return status;
  }
}

/** Returns the most requests that arrived within any window of this length. */
export function mostWithin(record: readonly Arrival[], windowMs: number): number {
  const times = record.map(({ atMs }) => atMs);
  return Math.max(0, ...times.map((fromMs) => times.filter((ms) => ms >= fromMs && ms < fromMs + windowMs).length));
}
