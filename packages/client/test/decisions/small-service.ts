import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Answers a call; the body is what the client sent. */
export type Answer = (response: ServerResponse, body: string, request: IncomingMessage) => unknown;

/** A decision of a service: allowed, with this much left of a limit of 100 a minute. */
export function decided(remaining = 99, further: object = {}): string {
  const limit = { algorithm: 'sliding-window', quota: 100, windowMs: 60_000, buckets: 60 };
  const verdict = { name: 'minute', limit, cost: 1, allowed: true, remaining, used: 100 - remaining };
  const times = { resetAfterMs: 60_000, retryAfterMs: 0, delayMs: 0 };
  const verdicts = [{ ...verdict, ...times }];
  return JSON.stringify({ allowed: true, policy: 'api', revision: 'r', source: 'store', verdicts, ...further });
}

/** Sends a decision for each one that the body asks for. */
export const decide: Answer = (response, body) => {
  const asked = JSON.parse(body) as unknown;
  const count = Array.isArray(asked) ? asked.length : 1;
  const answers = Array.from({ length: count }, () => decided()).join();
  response.setHeader('Content-Type', 'application/json');
  response.end(Array.isArray(asked) ? `[${answers}]` : answers);
};

/** A small HTTP server in place of the service, which answers as a test says. */
export class SmallService {
  answer: Answer = decide;
  /** The calls so far, probes included. */
  readonly calls: { readonly path: string; readonly body: string; readonly headers: IncomingMessage['headers'] }[] = [];
  connections = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const body = await text(request);
      this.calls.push({ path: String(request.url), body, headers: request.headers });
      await this.answer(response, body, request);
    });
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @param port - 0 for a free one */
  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return this;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
