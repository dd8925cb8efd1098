import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The application behind a balancer. It answers `/status/502` with that status by itself, and cuts off `/cut`. */
export class Application {
  /** How often it was asked. */
  asked = 0;
  /** The bodies that it got. */
  bodies: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      this.asked += 1;
      let body = '';
      for await (const chunk of request) body += chunk;
      if (body !== '') this.bodies.push(body);
      if (request.url === '/cut') {
        response.destroy();
        return;
      }
      const status = Number(/^\/status\/(\d+)/.exec(request.url ?? '')?.[1] ?? 200);
      response.writeHead(status, { 'Content-Type': 'application/problem+json' }).end(`{"application":${status}}`);
    });
  }

  static async start(): Promise<Application> {
    const application = new Application();
    await once(application.#server.listen(0, '127.0.0.1'), 'listening');
    return application;
  }

  /** Begins to count anew. */
  forget(): void {
    this.asked = 0;
    this.bodies = [];
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
