import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The application behind a balancer. It answers `/status/502` with that status by itself, and cuts off `/cut`. */
export class Application {
  /** How many connections were opened to it, and which versions of HTTP were spoken on them. */
  connections = 0;
  readonly versions = new Set<string>();
  /** How often it was asked. */
  asked = 0;
  /** The bodies that it got. */
  bodies: string[] = [];
  /** The fields of the last request, one after the other as they came: a name, its value, the next name. */
  fields: readonly string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      this.asked += 1;
      this.versions.add(request.httpVersion);
      this.fields = request.rawHeaders;
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
    application.#server.on('connection', () => {
      application.connections += 1;
    });
    await once(application.#server.listen(0, '127.0.0.1'), 'listening');
    return application;
  }

  /** Begins to count anew. */
  forget(): void {
    this.asked = 0;
    this.connections = 0;
    this.versions.clear();
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
