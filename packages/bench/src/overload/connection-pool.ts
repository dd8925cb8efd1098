import { ClientConnection } from './client-connection.js';

/**
 * How many connections are opened at once: fewer than may wait to be accepted. With more, the kernel drops the end of some
 * handshakes. Such a connection looks open to its client, and its first request takes seconds.
 */
const AT_ONCE = 100;

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
    while (this.#open.size < count) {
      const opening = Array.from({ length: Math.min(AT_ONCE, count - this.#open.size) }, () => this.#connect());
      await Promise.all(opening.map(({ opened }) => opened));
      this.#idle.push(...opening);
    }
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
