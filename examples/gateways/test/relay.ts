import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a balancer and an instance of the service: passes on every byte, and counts. */
export class Relay {
  /** How many connections the balancer has opened. */
  connections = 0;
  /** Everything that it has sent. */
  sent = '';
  /** How many answers are cut off before they reach the balancer, from now on. */
  cuts = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(port: number) {
    this.#server = createServer((balancer) => {
      this.connections += 1;
      const service = connect(port, '127.0.0.1');
      for (const socket of [balancer, service]) {
        this.#sockets.add(socket);
        socket.setNoDelay().on('error', () => {});
      }
      balancer.on('data', (bytes) => {
        this.sent += bytes.toString('latin1');
        service.write(bytes);
      });
      service.on('data', (bytes) => {
        if (this.cuts === 0) balancer.write(bytes);
        else {
          this.cuts -= 1;
          balancer.resetAndDestroy();
        }
      });
      balancer.on('close', () => service.destroy());
      service.on('close', () => balancer.destroy());
    });
  }

  static async start(port: number): Promise<Relay> {
    const relay = new Relay(port);
    await once(relay.#server.listen(0, '127.0.0.1'), 'listening');
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The requests for decisions so far, each with its fields by their names in lower case. */
  get calls(): Readonly<Record<string, readonly string[]>>[] {
    return this.sent
      .split(/^(?=GET )/m)
      .filter((text) => text.startsWith('GET /v1/'))
      .map((text) => {
        const fields: Record<string, string[]> = {};
        for (const [, name = '', value = ''] of text.matchAll(/^([\w-]+): ?(.*)\r$/gm)) {
          const key = name.toLowerCase();
          fields[key] = [...(fields[key] ?? []), value];
        }
        return fields;
      });
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
