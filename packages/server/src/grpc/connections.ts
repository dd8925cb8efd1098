import { once } from 'node:events';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import { type ConnectionInjector, type Server, ServerCredentials } from '@grpc/grpc-js';

/** Balancers keep a few connections for each of their threads. A flood of connections ends here, not in memory. */
const MOST_CONNECTIONS = 10_000;

/** The connections of a gRPC server: it listens by itself, so that the number of connections has an end. */
export class Connections {
  readonly #listening: NetServer;
  readonly #injector: ConnectionInjector;

  constructor(server: Server) {
    this.#injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    this.#listening = createServer({ noDelay: true }, (socket: Socket) => this.#injector.injectConnection(socket));
    this.#listening.maxConnections = MOST_CONNECTIONS;
  }

  async listen(host: string, port: number): Promise<number> {
    const listening = once(this.#listening, 'listening');
    this.#listening.listen(port, host);
    await listening;
    return (this.#listening.address() as AddressInfo).port;
  }

  /** Sends GOAWAY on all connections. Calls that have begun are answered; after the time, what is left is cut off. */
  leave(graceMs: number): void {
    this.#injector.drain(graceMs);
  }

  /**
   * Takes no further connections. Resolves when the last one has ended. The library's own shutdown does not wait for that since Node.js 24, where
   * closing an HTTP/2 server closes its sessions: a process that ended then would cut off the last calls.
   */
  close(): Promise<void> {
    return new Promise((resolve) => this.#listening.close(() => resolve()));
  }
}
