import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Clock } from '@sluice/core';

/** What the server does with a request. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Ends the connection before an answer, or after the head. */
  readonly drop?: 'before' | 'after';
}

/** A request that has come. */
export interface ArrivedRequest {
  readonly atMs: number;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that gives the answers of a list, in order, and then says `fine`. */
export class ScriptedServer {
  readonly requests: ArrivedRequest[] = [];
  readonly #clock: Clock;
  readonly #answers: ScriptedAnswer[];
  readonly #server: Server;

  private constructor(clock: Clock, answers: readonly ScriptedAnswer[]) {
    this.#clock = clock;
    this.#answers = [...answers];
    this.#server = createServer((req, res) => this.#answer(req, res));
    this.#server.on('upgrade', (req, socket) => {
      this.#note(req, '');
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\nhello');
    });
  }

  static async open(clock: Clock, answers: readonly ScriptedAnswer[] = []): Promise<ScriptedServer> {
    const server = new ScriptedServer(clock, answers);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get timesMs(): readonly number[] {
    const [first] = this.requests;
    return this.requests.map(({ atMs }) => atMs - (first?.atMs ?? 0));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    this.#note(req, await text(req));
    const { status = 200, headers = {}, body = 'fine', drop } = this.#answers.shift() ?? {};
    if (drop === 'before') return void req.socket.destroy();
    if (!drop) return void res.writeHead(status, headers).end(body);
    res.writeHead(status, { ...headers, 'content-length': '1000000' }).write(body);
    setImmediate(() => req.socket.destroy());
  }

  #note({ method, url, headers }: IncomingMessage, body: string): void {
    this.requests.push({ atMs: this.#clock.now(), method, path: url, headers, body });
  }
}
