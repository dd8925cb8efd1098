import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A network between a client and a server of this machine, which a test can spoil. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** What every reply takes in addition. */
  delayMs = 0;
  /** Whether replies get lost, though their commands run. */
  losesReplies = false;

  private constructor(targetPort: number) {
    this.#server = createServer((client) => this.#join(client, connect(targetPort, '127.0.0.1')));
  }

  static async to(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends all connections; clients may come again. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    for (const [own, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(own);
      own.setNoDelay(true);
      own.on('error', () => {});
      own.on('close', () => {
        this.#sockets.delete(own);
        other.destroy();
      });
    }
    client.on('data', (bytes) => server.write(bytes));
    let lastDueMs = 0;
    server.on('data', (bytes) => {
      if (this.losesReplies) return;
      // A later reply never overtakes an earlier one.
      lastDueMs = Math.max(lastDueMs, performance.now() + this.delayMs);
      setTimeout(() => client.write(bytes), lastDueMs - performance.now());
    });
  }
}
