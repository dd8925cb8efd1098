import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A network between a client and a server of this machine. A test can disturb it. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The least additional delay of every request. */
  requestDelayMs = 0;
  /** The least additional delay of every reply. */
  replyDelayMs = 0;
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
    const request = inOrder((bytes) => server.write(bytes));
    const reply = inOrder((bytes) => client.write(bytes));
    client.on('data', (bytes) => request(bytes, this.requestDelayMs));
    server.on('data', (bytes) => {
      if (!this.losesReplies) reply(bytes, this.replyDelayMs);
    });
  }
}

/** Delays each chunk by this time. A later chunk never overtakes an earlier one. */
function inOrder(write: (bytes: Buffer) => void): (bytes: Buffer, delayMs: number) => void {
  let written = Promise.resolve();
  return (bytes, delayMs) => {
    // A millisecond more, so that clocks of whole milliseconds, as Redis has, see all of the delay as well.
    const isOver = pass(delayMs && delayMs + 1);
    written = written.then(() => isOver).then(() => write(bytes));
  };
}

/**
 * Takes so long, and not a bit less, as timers do. Nor does it end among timers that are due as well: a process that was busy runs them
 * all in one turn, and a deadline that began before this delay has to be over before this one ends. Hence the first timer runs all the
 * time from here, as the deadline's does, and what is due then goes first.
 */
async function pass(ms: number): Promise<void> {
  const dueMs = performance.now() + ms;
  for (let leftMs = ms; leftMs > 0; leftMs = dueMs - performance.now()) {
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(leftMs)));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
