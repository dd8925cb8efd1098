import { once } from 'node:events';
import {
  Agent,
  createServer,
  get,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** A server on loopback that serves one application after the other, and connections to it that stay open. */
export class Wire {
  serve: RequestListener = () => {};
  readonly #server = createServer((req, res) => this.serve(req, res));
  readonly #agent = new Agent({ keepAlive: true });

  async listen(): Promise<void> {
    // A connection that rested is never closed under the request that takes it.
    this.#server.keepAliveTimeout = 0;
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async ask(path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const { port } = this.#server.address() as AddressInfo;
    const sent = get({ host: '127.0.0.1', port, path, headers, agent: this.#agent });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    return { status: response.statusCode as number, headers: response.headers };
  }
}
