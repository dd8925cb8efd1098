import { ClientConnection } from './client-connection.js';

/** Connections to a server. There are as many as there are requests under way, and those that had been needed before. */
export class ConnectionPool {
  readonly #port: number;
  readonly #open = new Set<ClientConnection>();
  /** Those without a request. The one that has waited longest is next, so that all of them take part. */
  #idle: ClientConnection[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request. Returns a function that gives up waiting for its answer, and leaves the server. */
  send(request: string, answered: (status: number | undefined) => void): () => void {
    const connection = this.#take();
    connection.send(request, (status) => {
      if (connection.isOpen) this.#idle.push(connection);
      answered(status);
    });
    return () => connection.close();
  }

  /** Opens this many connections before they are needed. */
  async open(count: number): Promise<void> {
    const opening = Array.from({ length: count }, () => this.#connect());
    await Promise.all(opening.map(({ opened }) => opened));
    this.#idle.push(...opening);
  }

  close(): void {
    for (const connection of this.#open) connection.close();
  }

  #take(): ClientConnection {
    for (;;) {
      const connection = this.#idle.shift();
      if (!connection) return this.#connect();
      if (connection.isOpen) return connection;
    }
  }

  #connect(): ClientConnection {
    const connection = new ClientConnection(this.#port, (ended) => this.#open.delete(ended));
    this.#open.add(connection);
    return connection;
  }
}
